/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** How much of the processors some processes use, from its making until it is read. */
final class CpuMeter {

  private static final double PERCENT = 100.0;

  private final Map<String, ProcessHandle> processes = new LinkedHashMap<>();
  private final Map<String, Duration> before = new LinkedHashMap<>();
  private final long startNanos = System.nanoTime();

  CpuMeter add(String name, long pid) {
    ProcessHandle.of(pid)
        .ifPresent(
            process -> {
              processes.put(name, process);
              before.put(name, used(process));
            });
    return this;
  }

  private static Duration used(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Percent of one processor, by process; one that has ended is left out. */
  ObjectNode percents() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    long tookNanos = System.nanoTime() - startNanos;
    processes.forEach(
        (name, process) -> {
          if (process.isAlive()) {
            long usedNanos =
                used(process).toNanos() - before.getOrDefault(name, Duration.ZERO).toNanos();
            json.put(name, Math.round(usedNanos * PERCENT / tookNanos));
          }
        });
    return json;
  }
}

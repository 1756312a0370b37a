/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.measure;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** How much of the processors some processes use, from its making until it is read. */
public final class CpuMeter {

  private static final double PERCENT = 100.0;

  private final Map<String, ProcessHandle> processes = new LinkedHashMap<>();
  private final Map<String, Duration> before = new LinkedHashMap<>();
  private final long startNanos = System.nanoTime();

  /** Measures this process too; one that does not live is left out. */
  public CpuMeter add(String name, long pid) {
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

  /** Processor time that all of them that still live have used, in nanoseconds. */
  public long usedNanos() {
    return processes.entrySet().stream()
        .filter(entry -> entry.getValue().isAlive())
        .mapToLong(entry -> usedNanos(entry.getKey(), entry.getValue()))
        .sum();
  }

  private long usedNanos(String name, ProcessHandle process) {
    return used(process).toNanos() - before.getOrDefault(name, Duration.ZERO).toNanos();
  }

  /** Percent of one processor, by process; one that has ended is left out. */
  public ObjectNode percents() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    long tookNanos = System.nanoTime() - startNanos;
    processes.forEach(
        (name, process) -> {
          if (process.isAlive()) {
            json.put(name, Math.round(usedNanos(name, process) * PERCENT / tookNanos));
          }
        });
    return json;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** How busy processors are, by us and everybody, from its making until it is read. */
public final class MachineLoad {

  private static final double PERCENT = 100.0;

  /** User, nice, system, idle, waiting for disks, and three more, as in proc(5). */
  private static final int COUNTERS = 8;

  private static final int IDLE = 3;

  private static final int WAITING = 4;

  private final String name;
  private final long[] before;

  private MachineLoad(String name) {
    this.name = name;
    this.before = ticks(name);
  }

  /** Of all processors together. */
  public static MachineLoad ofAll() {
    return new MachineLoad("cpu");
  }

  /**
   * Of one processor.
   *
   * @param number as the system counts them, from 0
   */
  public static MachineLoad ofProcessor(int number) {
    return new MachineLoad("cpu" + number);
  }

  /** Percent of these processors; -1 where the system does not tell. */
  public long busyPercent() {
    long[] now = ticks(name);
    if (now.length <= WAITING || before.length <= WAITING) {
      return -1;
    }
    long all = Arrays.stream(now).sum() - Arrays.stream(before).sum();
    long idle = now[IDLE] + now[WAITING] - before[IDLE] - before[WAITING];
    return all == 0 ? -1 : Math.round((all - idle) * PERCENT / all);
  }

  private static long[] ticks(String name) {
    try {
      return Files.readAllLines(Path.of("/proc/stat")).stream()
          .filter(line -> line.startsWith(name + " "))
          .findFirst()
          .map(line -> line.substring(name.length()).strip().split(" +", -1))
          .map(MachineLoad::numbers)
          .orElse(new long[0]);
    } catch (IOException e) {
      return new long[0];
    }
  }

  private static long[] numbers(String[] counters) {
    return Arrays.stream(counters).limit(COUNTERS).mapToLong(Long::parseLong).toArray();
  }
}

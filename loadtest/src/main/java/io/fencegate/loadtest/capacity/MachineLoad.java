/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** How busy all processors are, ours and everybody's, from its making until it is read. */
final class MachineLoad {

  private static final double PERCENT = 100.0;

  /** User, nice, system, then idle and waiting for disks, as in proc(5). */
  private static final int IDLE = 3;

  private static final int WAITING = 4;

  private final long[] before = ticks();

  /** Percent of all processors together; -1 where the system does not tell. */
  long busyPercent() {
    long[] now = ticks();
    if (now.length <= WAITING || before.length <= WAITING) {
      return -1;
    }
    long all = Arrays.stream(now).sum() - Arrays.stream(before).sum();
    long idle = now[IDLE] + now[WAITING] - before[IDLE] - before[WAITING];
    return all == 0 ? -1 : Math.round((all - idle) * PERCENT / all);
  }

  private static long[] ticks() {
    try {
      String first = Files.readAllLines(Path.of("/proc/stat")).get(0);
      return Arrays.stream(first.replace("cpu", "").strip().split(" +", -1))
          .mapToLong(Long::parseLong)
          .limit(8)
          .toArray();
    } catch (IOException e) {
      return new long[0];
    }
  }
}

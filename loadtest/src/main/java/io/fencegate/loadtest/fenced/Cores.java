/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import io.fencegate.loadtest.measure.MeasuredProcess;
import io.fencegate.loadtest.measure.MeasurementFailure;
import java.nio.file.Path;
import java.util.List;

/**
 * Where processes run: what stands between the callers and the service has one processor for
 * itself, everything else another one.
 *
 * @param proxy the number of that processor, as the system counts them
 * @param load of the other one, for the generator, the service and this process
 */
record Cores(int proxy, int load) {

  /** In front of a command that is to run on this processor; keeps the process's id. */
  static List<String> pinnedTo(int core) {
    return List.of("taskset", "-c", Integer.toString(core));
  }

  /** Moves this process, all its threads, and so what it starts, to the load's processor. */
  void moveThisProcess(Path directory) {
    long pid = ProcessHandle.current().pid();
    MeasuredProcess taskset =
        MeasuredProcess.start(
            List.of("taskset", "-a", "-c", "-p", Integer.toString(load), Long.toString(pid)),
            directory,
            directory.resolve("taskset.log"));
    String said = taskset.wholeOutput();
    try {
      if (taskset.process().waitFor() != 0) {
        throw taskset.failed("this process cannot be moved to processor " + load + ": " + said);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MeasurementFailure("interrupted", e);
    }
  }
}

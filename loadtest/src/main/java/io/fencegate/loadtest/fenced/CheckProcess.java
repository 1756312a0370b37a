/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import io.fencegate.loadtest.measure.MeasuredProcess;
import io.fencegate.loadtest.measure.MeasurementFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A {@link CheckService} in a JVM of its own. */
final class CheckProcess implements AutoCloseable {

  private static final Pattern READY =
      Pattern.compile("^" + Pattern.quote(CheckService.READY) + "(\\d+)");

  private final MeasuredProcess process;
  private final int port;

  private CheckProcess(MeasuredProcess process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Starts it and waits until it listens.
   *
   * @param core the processor that it runs on
   */
  static CheckProcess start(Path directory, int core) {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new MeasurementFailure("cannot make " + directory, e);
    }
    List<String> command = new ArrayList<>(Cores.pinnedTo(core));
    command.addAll(
        MeasuredProcess.java(
            List.of("-cp", System.getProperty("java.class.path"), CheckService.class.getName())));
    MeasuredProcess process =
        MeasuredProcess.start(command, directory, directory.resolve("check.log"));
    return new CheckProcess(
        process, Integer.parseInt(process.awaitLine(READY, "the check service").group(1)));
  }

  int port() {
    return port;
  }

  long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    process.end();
  }
}

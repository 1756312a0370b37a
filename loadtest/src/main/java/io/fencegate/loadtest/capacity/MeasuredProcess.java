/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM that was started for a measurement, with its output in a file. */
final class MeasuredProcess {

  private static final long END_SECONDS = 25;
  private static final int LOG_TAIL_CHARS = 3_000;

  private final Process process;
  private final Path log;

  private MeasuredProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * Starts this JVM's own {@code java}.
   *
   * @param log takes standard error; standard output is the caller's to read
   */
  static MeasuredProcess java(List<String> arguments, Path directory, Path log) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.redirectError(log.toFile());
    try {
      MeasuredProcess started = new MeasuredProcess(builder.start(), log);
      Runtime.getRuntime().addShutdownHook(new Thread(started.process::destroyForcibly));
      return started;
    } catch (IOException e) {
      throw new CapacityFailure("cannot start " + command.get(0), e);
    }
  }

  Process process() {
    return process;
  }

  long pid() {
    return process.pid();
  }

  /** SIGTERM, and SIGKILL where that does not help. */
  void end() {
    try {
      process.destroy();
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor(END_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }

  CapacityFailure failed(String what) {
    return new CapacityFailure(what + "; the end of " + log + ":\n" + logTail());
  }

  private String logTail() {
    try {
      String text = Files.readString(log);
      return text.substring(Math.max(0, text.length() - LOG_TAIL_CHARS));
    } catch (IOException e) {
      return "(no log: " + e + ")";
    }
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.measure;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A process that was started for a measurement, with its errors in a file. It ends with us. */
public final class MeasuredProcess {

  private static final long END_SECONDS = 25;
  private static final int LOG_TAIL_CHARS = 3_000;

  private final Process process;
  private final Path log;

  private MeasuredProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * Starts a program.
   *
   * @param log takes standard error; standard output is the caller's to read
   */
  public static MeasuredProcess start(List<String> command, Path directory, Path log) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.redirectError(log.toFile());
    try {
      MeasuredProcess started = new MeasuredProcess(builder.start(), log);
      Runtime.getRuntime().addShutdownHook(new Thread(started.process::destroyForcibly));
      return started;
    } catch (IOException e) {
      throw new MeasurementFailure("cannot start " + command.get(0), e);
    }
  }

  /** This JVM's own {@code java} with such arguments. */
  public static List<String> java(List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(arguments);
    return command;
  }

  public Process process() {
    return process;
  }

  public long pid() {
    return process.pid();
  }

  /** What it writes to standard output. */
  public BufferedReader output() {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** All that it writes to standard output; blocks until it ends or closes that. */
  public String wholeOutput() {
    try (BufferedReader output = output()) {
      return output.lines().collect(Collectors.joining("\n"));
    } catch (IOException e) {
      throw new MeasurementFailure("output cannot be read", e);
    }
  }

  /** Blocks until it writes a line with this pattern; a failure where it ends before. */
  public MatchResult awaitLine(Pattern pattern, String what) {
    BufferedReader output = output();
    try {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        Matcher said = pattern.matcher(line);
        if (said.find()) {
          return said.toMatchResult();
        }
      }
    } catch (IOException e) {
      throw new MeasurementFailure(what + " cannot be read", e);
    }
    throw failed(what + " did not start");
  }

  /** SIGTERM, and SIGKILL where that does not help. */
  public void end() {
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

  /** To be thrown: what went wrong, with the end of its log. */
  public MeasurementFailure failed(String what) {
    return new MeasurementFailure(what + "; the end of " + log + ":\n" + logTail());
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

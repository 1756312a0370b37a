/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A worker in a process of its own, heard through its reports. */
final class WorkerProcess {

  /** A worker ends within a second of its signal, unless the machine is busy. */
  private static final long END_SECONDS = 5;

  /** How finely the patience is counted; a report restarts the current slice only. */
  private static final long POLL_MILLIS = 100;

  /**
   * Reports that nobody has asked for yet: a worker gives one for each posting and a few more. When
   * there are more, the worker has to wait.
   */
  private static final int MAX_HEARD = 1024;

  /** What is heard from a worker, in order; the end of its output is heard too. */
  private record Heard(@Nullable WorkerReport report, String line) {
    static final Heard END = new Heard(null, "the end of its output");
  }

  private final String name;
  private final Process process;
  private final Path log;
  private final BlockingQueue<Heard> heard = new ArrayBlockingQueue<>(MAX_HEARD);
  private volatile boolean stopped;

  private WorkerProcess(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
  }

  /**
   * Starts a worker.
   *
   * @param listener told of every report as it comes, on the reading thread
   */
  static WorkerProcess start(
      String name, Path ownJar, Path directory, String[] arguments, Consumer<WorkerReport> listener)
      throws DemoFailure {
    Path log = directory.resolve(name + ".log");
    ProcessBuilder builder = new ProcessBuilder(JavaCommand.of(ownJar, arguments));
    builder.redirectError(log.toFile());
    try {
      WorkerProcess worker = new WorkerProcess(name, builder.start(), log);
      Thread reader = new Thread(() -> worker.listen(listener), name + "-reader");
      reader.setDaemon(true);
      reader.start();
      return worker;
    } catch (IOException e) {
      throw new DemoFailure(name + " could not be started", "see the reason above", e);
    }
  }

  private void listen(Consumer<WorkerReport> listener) {
    try {
      readReports(listener);
      heard.put(Heard.END);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void readReports(Consumer<WorkerReport> listener) throws InterruptedException {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        WorkerReport report = WorkerReport.parse(line).orElse(null);
        if (report != null) {
          listener.accept(report);
        }
        heard.put(new Heard(report, line));
      }
    } catch (IOException processEnded) {
      // What follows is the same as after the last line.
    }
  }

  /** The next report that fits, skipping others. */
  WorkerReport await(Predicate<WorkerReport> wanted, String description, Duration patience)
      throws DemoFailure, InterruptedException {
    long waits = Math.max(1, patience.toMillis() / POLL_MILLIS);
    while (waits > 0) {
      Heard next = heard.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
      if (next == null) {
        waits--;
        continue;
      }
      WorkerReport report = next.report();
      if (report == null) {
        throw failed(name + " was to say: " + description + ", and said: " + next.line());
      }
      if (wanted.test(report)) {
        return report;
      }
      if (report.kind() == WorkerReport.Kind.FAILED) {
        throw failed(name + " gave up: " + report.fact("why"));
      }
    }
    throw failed(name + " did not say in time: " + description);
  }

  private DemoFailure failed(String what) {
    return new DemoFailure(
        what,
        "the logs below say why; run the demo again if the machine was merely too busy"
            + Logs.tail(log)
            + Logs.tail(log.resolveSibling("gateway.log"))
            + Logs.tail(log.resolveSibling("audit.jsonl")));
  }

  long pid() {
    return process.pid();
  }

  /** Freezes the process in the middle of whatever it does. */
  void stop() throws DemoFailure {
    Signals.stop(process);
    stopped = true;
  }

  /** Lets the process go on where it was. */
  void resume() throws DemoFailure {
    stopped = false;
    Signals.resume(process);
  }

  /** Ends the process, by force if it must be. */
  void end() throws DemoFailure, InterruptedException {
    if (stopped && process.isAlive()) {
      resume();
    }
    process.destroy();
    if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor(END_SECONDS, TimeUnit.SECONDS);
    }
  }
}

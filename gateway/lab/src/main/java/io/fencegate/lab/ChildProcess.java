/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A process of the lab with its log. It ends with this JVM at the latest. */
final class ChildProcess {

  private static final long END_SECONDS = 20;
  private static final int LOG_TAIL_CHARS = 4_000;
  private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "lab-end"));
  }

  private final Process process;
  private final Path log;

  private ChildProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /** Starts a program; what it prints is appended to {@code log}. */
  static ChildProcess start(List<String> command, Path log) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    // etcd takes flags from such variables too.
    builder.environment().keySet().removeIf(name -> name.startsWith("ETCD"));
    try {
      Process process = builder.start();
      RUNNING.add(process);
      return new ChildProcess(process, log);
    } catch (IOException e) {
      throw new LabException("cannot start " + command.get(0), e);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  long pid() {
    return process.pid();
  }

  /** Sends a signal through {@code kill}, which every POSIX system has. */
  void signal(String name) {
    Programs.run(List.of("kill", "-" + name, process.pid() + ""), Map.of());
  }

  /** SIGKILL; returns when it has ended. */
  void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** SIGTERM; returns when it has ended. */
  void stop() {
    process.destroy();
    awaitEnd();
  }

  private void awaitEnd() {
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new LabException("process " + pid() + " did not end in " + END_SECONDS + " s");
      }
      RUNNING.remove(process);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted while process " + pid() + " ends", e);
    }
  }

  /** The end of what it printed. */
  String logTail() {
    try {
      String text = Files.readString(log, StandardCharsets.UTF_8);
      return text.substring(Math.max(0, text.length() - LOG_TAIL_CHARS));
    } catch (IOException e) {
      return "(no log: " + e + ")";
    }
  }
}

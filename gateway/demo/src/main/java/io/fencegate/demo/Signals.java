/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Sends signals through the shell's own {@code kill}, which every POSIX system has. */
final class Signals {

  private static final long SHELL_SECONDS = 5;

  private Signals() {}

  /** The process gets no processor time any more, like a machine that is frozen. */
  static void stop(Process process) throws DemoFailure {
    send("STOP", process);
  }

  /** The process goes on where it was. */
  static void resume(Process process) throws DemoFailure {
    send("CONT", process);
  }

  private static void send(String signal, Process process) throws DemoFailure {
    String[] shell = {"sh", "-c", "kill -" + signal + " \"$1\"", "sh", process.pid() + ""};
    try {
      Process kill = new ProcessBuilder(shell).inheritIO().start();
      if (kill.waitFor(SHELL_SECONDS, TimeUnit.SECONDS) && kill.exitValue() == 0) {
        return;
      }
    } catch (IOException e) {
      throw new DemoFailure("No shell could be started", "run the demo on Linux or macOS", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new DemoFailure(
        "SIG" + signal + " could not be sent to process " + process.pid(),
        "see whether it still runs; the demo signals only processes that it started");
  }
}

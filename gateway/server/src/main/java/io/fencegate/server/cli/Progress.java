/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Says on a terminal that something still goes on; silent in scripts, and in the first seconds. */
final class Progress {

  /** Whoever waits for less does not wonder. */
  private static final int SILENT_SECONDS = 2;

  private final PrintWriter err;
  private final String what;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "fencegate-progress");
            thread.setDaemon(true);
            return thread;
          });
  private int seconds = SILENT_SECONDS;
  private int shownChars;

  private Progress(PrintWriter err, String what) {
    this.err = err;
    this.what = what;
  }

  /** Does {@code work}, telling of it where standard error is a terminal. */
  static <T> T during(Supplier<T> work, PrintWriter err, String what) {
    if (!isTerminal()) {
      return work.get();
    }
    Progress progress = new Progress(err, what);
    ScheduledFuture<?> unused =
        progress.timer.scheduleAtFixedRate(progress::show, SILENT_SECONDS, 1, TimeUnit.SECONDS);
    try {
      return work.get();
    } finally {
      progress.end();
    }
  }

  /** Linux can tell, Java cannot; elsewhere this stays silent. */
  private static boolean isTerminal() {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
      return target.startsWith("/dev/pts/")
          || target.startsWith("/dev/tty")
          || target.equals("/dev/console");
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  private synchronized void show() {
    String line = what + " " + seconds++ + " s";
    shownChars = line.length();
    err.print("\r" + line);
    err.flush();
  }

  /** Takes the line away again. */
  private synchronized void end() {
    timer.shutdownNow();
    if (shownChars > 0) {
      err.print("\r" + " ".repeat(shownChars) + "\r");
      err.flush();
      shownChars = 0;
    }
  }
}

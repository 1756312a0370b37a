/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Tells the story as it happens, one line per event. Thread-safe. */
final class Timeline {

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");
  private static final String RESET = "\u001b[0m";
  private static final String GOOD = "\u001b[1;32m";
  private static final String BAD = "\u001b[1;31m";
  private static final Map<String, String> COLOURS =
      Map.of("worker-a", "\u001b[33m", "worker-b", "\u001b[36m", "gateway", "\u001b[35m");

  private final PrintStream out;
  private final Clock clock;
  private final boolean colours;
  private final Instant begin;

  Timeline(PrintStream out, Clock clock, boolean colours) {
    this.out = out;
    this.clock = clock;
    this.colours = colours;
    begin = clock.instant();
  }

  /** Whether standard output is a terminal that may show colours. */
  static boolean terminalWithColours(Map<String, String> environment) {
    if (environment.containsKey("NO_COLOR") || "dumb".equals(environment.get("TERM"))) {
      return false;
    }
    try {
      Process test = new ProcessBuilder("sh", "-c", "test -t 1").inheritIO().start();
      return test.waitFor(1, TimeUnit.SECONDS) && test.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  void say(String who, String what) {
    print(who, what, COLOURS.getOrDefault(who, ""));
  }

  void good(String who, String what) {
    print(who, what, GOOD);
  }

  void bad(String who, String what) {
    print(who, what, BAD);
  }

  /** Text without a time, such as the table at the end. */
  synchronized void block(String text) {
    out.println();
    out.println(text);
    out.flush();
  }

  private synchronized void print(String who, String what, String colour) {
    Instant now = clock.instant();
    double seconds = Duration.between(begin, now).toMillis() / 1000.0;
    String line =
        String.format(
            "%s %+6.1fs  %-9s %s",
            TIME.format(LocalTime.ofInstant(now, clock.getZone())), seconds, who, what);
    out.println(colours && !colour.isEmpty() ? colour + line + RESET : line);
    out.flush();
  }
}

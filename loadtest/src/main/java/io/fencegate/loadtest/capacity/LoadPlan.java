/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/**
 * What load a gateway is put under.
 *
 * @param url of the gateway's worker port
 * @param runId makes request ids and names of this run different from other runs'
 * @param resources names that are known; {@code held} of them are held all the time
 * @param rates calls per second
 * @param times lengths of the phases
 */
record LoadPlan(String url, String runId, int resources, int held, Rates rates, Times times) {

  private static final double MILLIS_PER_SECOND = 1_000;

  /** Locks live so long; a third of it is the pace at which each is to be renewed. */
  static final int TTL_MILLIS = 30_000;

  /** A lock that comes and goes is held for so long. */
  static final int HOLD_MILLIS = 1_000;

  /**
   * Calls per second.
   *
   * @param cycles acquires, and as many releases
   * @param renewals of the locks that are held all the time
   */
  record Rates(double cycles, double renewals) {}

  /** Lengths in seconds; {@code steady} and {@code after} are measured. */
  record Times(int fill, int warmUp, int steady, int after) {}

  /** Why this plan cannot work, if it cannot. */
  Optional<String> objection() {
    if (held >= resources) {
      return Optional.of(held + " of " + resources + " resources held, expected fewer than all");
    }
    double everySeconds = held / rates.renewals();
    return everySeconds * MILLIS_PER_SECOND > TTL_MILLIS / 2.0
        ? Optional.of(
            "each lock would be renewed every %.0f s, expected at most half of its %d s: fewer held or more renewals"
                .formatted(everySeconds, TTL_MILLIS / 1_000))
        : Optional.empty();
  }

  Phase phaseAt(long elapsedMillis) {
    double left = elapsedMillis / MILLIS_PER_SECOND;
    for (Phase phase : Phase.values()) {
      if (phase == Phase.END || left < seconds(phase)) {
        return phase;
      }
      left -= seconds(phase);
    }
    return Phase.END;
  }

  /** How long a phase is. */
  int seconds(Phase phase) {
    return switch (phase) {
      case FILL -> times.fill();
      case WARM_UP -> times.warmUp();
      case STEADY -> times.steady();
      case AFTER -> times.after();
      case END -> 0;
    };
  }

  /** When a phase begins, in seconds from the start. */
  int beginSeconds(Phase wanted) {
    int begin = 0;
    for (Phase phase : Phase.values()) {
      if (phase == wanted) {
        break;
      }
      begin += seconds(phase);
    }
    return begin;
  }

  /** Seconds of full load. */
  int loadSeconds() {
    return times.warmUp() + times.steady() + times.after();
  }

  /** The part of the warm-up in which the rate rises. */
  int rampSeconds() {
    return times.warmUp() * 2 / 5;
  }

  private static final String PREFIX = "fencegate.load.";

  /** As flags of a JVM, to be read by {@link #of}. */
  List<String> flags() {
    List<String> flags = new ArrayList<>();
    flags.add(flag("url", url));
    flags.add(flag("runId", runId));
    flags.add(flag("resources", resources));
    flags.add(flag("held", held));
    flags.add(flag("cycles", rates.cycles()));
    flags.add(flag("renewals", rates.renewals()));
    flags.add(flag("fill", times.fill()));
    flags.add(flag("warmUp", times.warmUp()));
    flags.add(flag("steady", times.steady()));
    flags.add(flag("after", times.after()));
    return flags;
  }

  private static String flag(String name, Object value) {
    return "-D" + PREFIX + name + "=" + value;
  }

  /** The plan in a JVM's properties; what is not given is small. */
  static LoadPlan of(Properties given) {
    return new LoadPlan(
        given.getProperty(PREFIX + "url", "http://127.0.0.1:8080"),
        given.getProperty(PREFIX + "runId", Long.toHexString(ProcessHandle.current().pid())),
        (int) number(given, "resources", 1_000),
        (int) number(given, "held", 200),
        new Rates(number(given, "cycles", 50), number(given, "renewals", 50)),
        new Times(
            (int) number(given, "fill", 2),
            (int) number(given, "warmUp", 2),
            (int) number(given, "steady", 3),
            (int) number(given, "after", 3)));
  }

  private static double number(Properties given, String name, double otherwise) {
    return Double.parseDouble(given.getProperty(PREFIX + name, Double.toString(otherwise)));
  }
}

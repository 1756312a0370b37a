/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What one run of wrk came to.
 *
 * @param requests that were answered, errors included
 * @param tookMicros how long it ran
 * @param p50Micros the time that half of them stayed within
 * @param p99Micros and 99 of 100
 * @param errors answers of 400 and above, and connections that failed or took too long
 */
record WrkFigures(long requests, long tookMicros, long p50Micros, long p99Micros, long errors) {

  /** In front of the line with the figures. */
  static final String MARK = "fencegate-wrk";

  private static final double MICROS_PER_SECOND = 1e6;

  /** Finds the figures in what wrk has printed; empty where they are not there, whole. */
  static Optional<WrkFigures> parse(String output) {
    return output
        .lines()
        .filter(line -> line.startsWith(MARK + " "))
        .findFirst()
        .flatMap(WrkFigures::ofLine);
  }

  private static Optional<WrkFigures> ofLine(String line) {
    OptionalLong requests = number(line, "requests");
    OptionalLong micros = number(line, "micros");
    OptionalLong p50 = number(line, "p50");
    OptionalLong p99 = number(line, "p99");
    long errors = 0;
    for (String kind : new String[] {"connect", "read", "write", "status", "timeout"}) {
      OptionalLong count = number(line, kind);
      if (count.isEmpty()) {
        return Optional.empty();
      }
      errors += count.getAsLong();
    }
    return requests.isEmpty() || micros.orElse(0) == 0 || p50.isEmpty() || p99.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new WrkFigures(
                requests.getAsLong(),
                micros.getAsLong(),
                p50.getAsLong(),
                p99.getAsLong(),
                errors));
  }

  private static OptionalLong number(String line, String name) {
    Matcher found = Pattern.compile(" " + name + "=(\\d{1,18})(?: |$)").matcher(line);
    return found.find() ? OptionalLong.of(Long.parseLong(found.group(1))) : OptionalLong.empty();
  }

  double perSecond() {
    return requests * MICROS_PER_SECOND / tookMicros;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations and sizes with their unit. */
public final class Units {

  private static final Pattern DURATION = Pattern.compile("([1-9][0-9]{0,8})(ms|s|m|h|d)");
  private static final Pattern SIZE = Pattern.compile("([1-9][0-9]{0,8})(B|KiB|MiB|GiB)");

  private Units() {}

  /** The duration that a text such as {@code 30s} says; empty where it is none. */
  public static Optional<Duration> duration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long amount = Long.parseLong(matcher.group(1));
    return Optional.of(
        switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(amount);
          case "s" -> Duration.ofSeconds(amount);
          case "m" -> Duration.ofMinutes(amount);
          case "h" -> Duration.ofHours(amount);
          default -> Duration.ofDays(amount);
        });
  }

  /**
   * The bytes that a text such as {@code 256KiB} says; empty where it is none. 10^9 GiB at most.
   */
  public static Optional<Long> size(String text) {
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long amount = Long.parseLong(matcher.group(1));
    return Optional.of(
        switch (matcher.group(2)) {
          case "B" -> amount;
          case "KiB" -> amount * 1024;
          case "MiB" -> amount * 1024 * 1024;
          default -> amount * 1024 * 1024 * 1024;
        });
  }

  /** A duration as a policy file would say it, in its largest whole unit. */
  static String show(Duration duration) {
    long millis = duration.toMillis();
    if (millis % 86_400_000 == 0) {
      return millis / 86_400_000 + "d";
    }
    if (millis % 3_600_000 == 0) {
      return millis / 3_600_000 + "h";
    }
    if (millis % 60_000 == 0) {
      return millis / 60_000 + "m";
    }
    return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
  }
}

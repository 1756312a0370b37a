/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Value;
import io.fencegate.policy.freeze.FreezeScope;
import io.fencegate.policy.name.Parsed;
import java.nio.charset.StandardCharsets;

/**
 * Writes that an operator has stopped, as text: {@code 1 <scope> <target> <wall clock> <reason>},
 * the first being the format's version, and {@code -} the target of everything.
 *
 * @param reason for people
 * @param atMillis wall clock, since 1970, for people
 */
public record FreezeRecord(FreezeScope scope, String reason, long atMillis) {

  /** What every readable record starts with. */
  public static final Value THERE = Value.of("1");

  private static final String VERSION = "1";
  private static final String NO_TARGET = "-";
  private static final String END = "\n";
  private static final int PARTS = 5;

  public Value encode() {
    return Value.of(
        String.join(
                " ",
                VERSION,
                scope.kind().wireName(),
                scope.target().isEmpty() ? NO_TARGET : scope.target(),
                Long.toString(atMillis),
                reason)
            + END);
  }

  /**
   * The record in a value.
   *
   * @throws UnreadableRecord when it is none, or one of another version
   */
  public static FreezeRecord decode(Value value) {
    String text = new String(value.toBytes(), StandardCharsets.UTF_8);
    String[] parts = text.split(" ", PARTS);
    if (parts.length != PARTS
        || !parts[0].equals(VERSION)
        || !parts[3].matches("[0-9]{1,15}")
        || !parts[4].endsWith(END)) {
      throw unreadable();
    }
    FreezeScope scope =
        FreezeScope.Kind.parse(parts[1])
            .fold(kind -> FreezeScope.parse(kind, target(kind, parts[2])), FreezeRecord::unusable)
            .fold(
                it -> it,
                bad -> {
                  throw unreadable();
                });
    String reason = parts[4].substring(0, parts[4].length() - END.length());
    return new FreezeRecord(scope, reason, Long.parseLong(parts[3]));
  }

  private static String target(FreezeScope.Kind kind, String part) {
    return kind == FreezeScope.Kind.ALL && part.equals(NO_TARGET) ? "" : part;
  }

  private static Parsed<FreezeScope> unusable(Parsed.Malformed<?> bad) {
    return new Parsed.Malformed<>(bad.given(), bad.expected());
  }

  private static UnreadableRecord unreadable() {
    return new UnreadableRecord("a freeze");
  }
}

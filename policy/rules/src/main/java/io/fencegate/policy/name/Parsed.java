/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.name;

import java.util.function.Function;

/**
 * The result of strict parsing: a value, or what was given and what was expected.
 *
 * @param <T> the parsed type
 */
public sealed interface Parsed<T> {

  /** Input that is exactly what the grammar asks for. */
  record Valid<T>(T value) implements Parsed<T> {}

  /**
   * Input that is not. {@code given} is already shortened and free of control characters, so that
   * it may stand in an error message.
   */
  record Malformed<T>(String given, String expected) implements Parsed<T> {
    /** One sentence for people: what was given and what was expected. */
    public String message() {
      return given + " was given, expected " + expected;
    }
  }

  static <T> Parsed<T> valid(T value) {
    return new Valid<>(value);
  }

  static <T> Parsed<T> malformed(String given, String expected) {
    return new Malformed<>(show(given), expected);
  }

  /** Input that is unusable as a whole, in the program's own words instead of the input's. */
  static <T> Parsed<T> unusable(String found, String expected) {
    return new Malformed<>(found, expected);
  }

  default <R> R fold(
      Function<? super T, ? extends R> valid,
      Function<? super Malformed<T>, ? extends R> malformed) {
    if (this instanceof Valid<T> ok) {
      return valid.apply(ok.value());
    }
    return malformed.apply((Malformed<T>) this);
  }

  /**
   * The value of input that the program itself wrote (constants, stored records).
   *
   * @throws IllegalArgumentException when it is malformed after all
   */
  default T orThrow() {
    return fold(
        value -> value,
        bad -> {
          throw new IllegalArgumentException(bad.message());
        });
  }

  /** Longest piece of foreign input that an error message repeats. */
  int SHOWN_CHARS = 80;

  /** Foreign input made fit for a message: quoted, printable ASCII only, at most 80 characters. */
  static String show(String given) {
    StringBuilder out = new StringBuilder("'");
    for (int i = 0; i < given.length() && i < SHOWN_CHARS; i++) {
      char c = given.charAt(i);
      if (c >= ' ' && c < 0x7f && c != '\'') {
        out.append(c);
      } else {
        out.append(String.format("\\u%04x", (int) c));
      }
    }
    return out.append(given.length() > SHOWN_CHARS ? "'..." : "'").toString();
  }
}

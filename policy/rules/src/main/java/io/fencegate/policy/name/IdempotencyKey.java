/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.name;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The caller's name for one write: at most one application per key and scope. 1 to 128 visible
 * ASCII characters, bare or as a quoted string of the structured-field grammar (RFC 9651, 3.3.3):
 * {@code k1} and {@code "k1"} are the same key.
 */
public record IdempotencyKey(String value) {

  private static final Pattern GRAMMAR = Pattern.compile("[\\x21-\\x7e]{1,128}");
  private static final Pattern QUOTED = Pattern.compile("\"((?:[^\"\\\\]|\\\\[\"\\\\])*)\"");
  private static final String EXPECTED =
      "1 to 128 visible ASCII characters, bare or as one quoted string";

  public IdempotencyKey {
    if (!GRAMMAR.matcher(value).matches()) {
      throw new IllegalArgumentException(Parsed.show(value) + " is not an idempotency key");
    }
  }

  public static Parsed<IdempotencyKey> parse(String text) {
    String key = text;
    if (text.startsWith("\"")) {
      Matcher quoted = QUOTED.matcher(text);
      if (!quoted.matches()) {
        return Parsed.malformed(text, EXPECTED);
      }
      key = quoted.group(1).replaceAll("\\\\([\"\\\\])", "$1");
    }
    return GRAMMAR.matcher(key).matches()
        ? Parsed.valid(new IdempotencyKey(key))
        : Parsed.malformed(text, EXPECTED);
  }

  @Override
  public String toString() {
    return value;
  }
}

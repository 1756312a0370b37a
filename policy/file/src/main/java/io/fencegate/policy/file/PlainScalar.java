/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an unquoted scalar means. YAML's versions disagree on many spellings ({@code no}, {@code
 * 012}, {@code 1:30}); what one of them would read as something else than text is refused unless it
 * is spelled in the one form all agree on.
 */
sealed interface PlainScalar {

  /** A value: String, Integer, Long, Double, Boolean or null. */
  record Typed(@Nullable Object value) implements PlainScalar {}

  /** A spelling that readers of YAML understand differently. */
  record Ambiguous(String expected) implements PlainScalar {}

  /** All spellings of the three words, and YAML 1.1's further words for booleans. */
  Pattern WORD = Pattern.compile("(?i)(?:y|n|yes|no|on|off|true|false|null)");

  Pattern INTEGER = Pattern.compile("0|-?[1-9][0-9]{0,17}");
  Pattern DECIMAL = Pattern.compile("-?(?:0|[1-9][0-9]{0,14})\\.[0-9]{1,15}");
  Pattern LIKE_A_NUMBER =
      Pattern.compile(
          "[-+]?(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+"
              + "|[0-9][0-9_]*(?:\\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?"
              + "|\\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?"
              + "|[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\\.[0-9_]*)?"
              + "|\\.(?:inf|Inf|INF|nan|NaN|NAN))");
  Pattern LIKE_A_DATE =
      Pattern.compile("[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \\t].*)?", Pattern.DOTALL);

  static PlainScalar of(String text) {
    if (text.isEmpty() || text.equals("~") || text.equals("null")) {
      return new Typed(null);
    }
    if (text.equals("true") || text.equals("false")) {
      return new Typed(text.equals("true"));
    }
    if (WORD.matcher(text).matches()) {
      return new Ambiguous("the text in quotes (or true or false where a flag is meant)");
    }
    if (INTEGER.matcher(text).matches()) {
      return new Typed(integer(Long.parseLong(text)));
    }
    if (DECIMAL.matcher(text).matches()) {
      return new Typed(Double.valueOf(text));
    }
    if (LIKE_A_NUMBER.matcher(text).matches()) {
      return new Ambiguous(
          "the text in quotes (or a plain decimal number where a number is meant)");
    }
    if (LIKE_A_DATE.matcher(text).matches()) {
      return new Ambiguous("the text in quotes, because it looks like a date");
    }
    return new Typed(text);
  }

  private static Object integer(long value) {
    if (value >= Integer.MIN_VALUE && value <= Integer.MAX_VALUE) {
      return (int) value;
    }
    return value;
  }
}

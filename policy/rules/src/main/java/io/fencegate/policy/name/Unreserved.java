/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.name;

/**
 * The characters that names are made of, {@code [A-Za-z0-9._~-]}: RFC 3986 section 2.3 calls them
 * unreserved. Loops, since names are read several times per call and a regular expression is most
 * of what reading one costs.
 */
final class Unreserved {

  private static final int ASCII = 128;
  private static final boolean[] ALLOWED = new boolean[ASCII];

  static {
    String marks = "._~-";
    for (char c = 0; c < ASCII; c++) {
      ALLOWED[c] =
          (c >= 'A' && c <= 'Z')
              || (c >= 'a' && c <= 'z')
              || (c >= '0' && c <= '9')
              || marks.indexOf(c) >= 0;
    }
  }

  private Unreserved() {}

  static boolean contains(char c) {
    return c < ASCII && ALLOWED[c];
  }

  /** Whether a text is 1 to {@code most} of these characters. */
  static boolean isWord(String text, int most) {
    return isWord(text, 0, text.length(), most);
  }

  /** Whether the part of a text up to {@code to}, exclusive, is such a word. */
  static boolean isWord(String text, int from, int to, int most) {
    if (from >= to || to - from > most) {
      return false;
    }
    for (int i = from; i < to; i++) {
      if (!contains(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }
}

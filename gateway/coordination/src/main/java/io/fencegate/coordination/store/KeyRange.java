/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

/** All keys from {@code from} (inclusive) to {@code to} (exclusive). */
public record KeyRange(Key from, Key to) {

  public KeyRange {
    if (from.compareTo(to) >= 0) {
      throw new IllegalArgumentException("empty range " + from + " .. " + to);
    }
  }

  /** All keys that start with {@code prefix}, which ends in {@code /}. */
  public static KeyRange under(String prefix) {
    if (!prefix.endsWith("/")) {
      throw new IllegalArgumentException("a range prefix ends in '/': " + prefix);
    }
    String end = prefix.substring(0, prefix.length() - 1) + (char) ('/' + 1);
    return new KeyRange(new Key(prefix), new Key(end));
  }

  /**
   * The rest of this range behind one of its keys, for the next page: what would go on after that
   * key goes on with {@code /} or a character of names, all of which are above {@code !}.
   */
  public KeyRange behind(Key last) {
    return new KeyRange(new Key(last.path() + "!"), to);
  }

  public boolean contains(Key key) {
    return from.compareTo(key) <= 0 && key.compareTo(to) < 0;
  }
}

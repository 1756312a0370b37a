/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

/** A key: printable ASCII without blanks, 1 to 1,024 characters, ordered byte by byte. */
public record Key(String path) implements Comparable<Key> {

  private static final int MAX_CHARS = 1024;

  public Key {
    if (!isKey(path)) {
      throw new IllegalArgumentException("not a key: '" + path + "'");
    }
  }

  /** Whether a text is a key; what others put into a shared store need not be. */
  public static boolean isKey(String path) {
    return !path.isEmpty() && path.length() <= MAX_CHARS && isPrintable(path);
  }

  /** A loop: keys are made several times per call, and a stream costs more than all the rest. */
  private static boolean isPrintable(String path) {
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c <= ' ' || c >= 0x7f) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int compareTo(Key other) {
    return path.compareTo(other.path);
  }

  @Override
  public String toString() {
    return path;
  }
}

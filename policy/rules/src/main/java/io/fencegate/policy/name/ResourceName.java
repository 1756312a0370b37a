/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.name;

/**
 * The normalised business name that is locked and written, e.g. {@code settlement/eu/2026-11}.
 *
 * <p>1 to 8 segments of {@code [A-Za-z0-9._~-]{1,64}} joined by {@code /}, at most 256 bytes, no
 * segment {@code .} or {@code ..}; case-sensitive. Because the grammar is this narrow, a name can
 * stand in a key, a log line or a header as it is.
 */
public record ResourceName(String value) implements Comparable<ResourceName> {

  private static final int MAX_BYTES = 256;
  private static final int MAX_SEGMENTS = 8;
  private static final int MAX_SEGMENT_CHARS = 64;
  private static final String EXPECTED =
      "1 to 8 segments of [A-Za-z0-9._~-]{1,64} joined by '/', none of them '.' or '..', at most 256"
          + " bytes";

  public ResourceName {
    if (!isValid(value)) {
      throw new IllegalArgumentException(Parsed.show(value) + " is not a resource name");
    }
  }

  public static Parsed<ResourceName> parse(String text) {
    return isValid(text) ? Parsed.valid(new ResourceName(text)) : Parsed.malformed(text, EXPECTED);
  }

  private static boolean isValid(String text) {
    if (text.length() > MAX_BYTES) {
      return false;
    }
    int from = 0;
    for (int segments = 1; segments <= MAX_SEGMENTS; segments++) {
      int slash = text.indexOf('/', from);
      int to = slash < 0 ? text.length() : slash;
      if (!Unreserved.isWord(text, from, to, MAX_SEGMENT_CHARS) || isDots(text, from, to)) {
        return false;
      }
      if (slash < 0) {
        return true;
      }
      from = slash + 1;
    }
    return false;
  }

  /** Whether a segment is {@code .} or {@code ..}, which a path would lose. */
  private static boolean isDots(String text, int from, int to) {
    return to - from <= 2 && text.charAt(from) == '.' && text.charAt(to - 1) == '.';
  }

  /**
   * The name as one key segment: {@code /} percent-encoded, so that no key range of one resource
   * contains a key of another.
   */
  public String keySegment() {
    return value.replace("/", "%2F");
  }

  /** The inverse of {@link #keySegment()}. */
  public static Parsed<ResourceName> ofKeySegment(String segment) {
    return parse(segment.replace("%2F", "/"));
  }

  /** By hand, since it is asked several times in every write. */
  @Override
  public boolean equals(Object other) {
    return other instanceof ResourceName that && value.equals(that.value);
  }

  @Override
  public int hashCode() {
    return value.hashCode();
  }

  @Override
  public int compareTo(ResourceName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}

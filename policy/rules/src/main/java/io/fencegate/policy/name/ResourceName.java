/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.name;

import java.util.regex.Pattern;

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
  private static final Pattern GRAMMAR =
      Pattern.compile(
          "[A-Za-z0-9._~-]{1,64}(?:/[A-Za-z0-9._~-]{1,64}){0," + (MAX_SEGMENTS - 1) + "}");
  private static final Pattern DOT_SEGMENT = Pattern.compile("(?:^|/)\\.{1,2}(?:/|$)");
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
    return text.length() <= MAX_BYTES
        && GRAMMAR.matcher(text).matches()
        && (text.indexOf('.') < 0 || !DOT_SEGMENT.matcher(text).find());
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

  @Override
  public int compareTo(ResourceName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.token;

import io.fencegate.policy.name.Parsed;
import java.util.regex.Pattern;

/**
 * A positive 63-bit number that only rises from one holder of a resource to the next: {@code
 * generation * 2^44 + create revision of the lock key}. Ordered as a number. An election's term is
 * the same thing.
 *
 * <p>Written as canonical decimal only ({@code [1-9][0-9]{0,18}}, at most 2^63 - 1), so that two
 * readers can never disagree about which token a text means.
 */
public record FencingToken(long value) implements Comparable<FencingToken> {

  private static final long REVISION_MASK = (1L << Generation.REVISION_BITS) - 1;
  private static final Pattern CANONICAL = Pattern.compile("[1-9][0-9]{0,18}");
  private static final String EXPECTED =
      "a canonical decimal from 1 to 9223372036854775807 (no sign, blanks or leading zeros)";

  public FencingToken {
    if (value < 1) {
      throw new IllegalArgumentException("fencing token " + value + " is below 1");
    }
  }

  /**
   * The token of a lock key that was created at {@code createRevision} (1 to 2^44 - 1) in {@code
   * generation}.
   */
  public static FencingToken of(Generation generation, long createRevision) {
    if (createRevision < 1 || createRevision > REVISION_MASK) {
      throw new IllegalArgumentException(
          "create revision " + createRevision + " is outside 1..2^44-1");
    }
    return new FencingToken(
        ((long) generation.value() << Generation.REVISION_BITS) + createRevision);
  }

  public static Parsed<FencingToken> parse(String text) {
    if (!CANONICAL.matcher(text).matches()) {
      return Parsed.malformed(text, EXPECTED);
    }
    try {
      return Parsed.valid(new FencingToken(Long.parseLong(text)));
    } catch (NumberFormatException above63Bits) {
      return Parsed.malformed(text, EXPECTED);
    }
  }

  public Generation generation() {
    return new Generation((int) (value >>> Generation.REVISION_BITS));
  }

  /** The create revision of the lock key that this token stands for; 0 for no key's revision. */
  public long revision() {
    return value & REVISION_MASK;
  }

  public boolean isBelow(FencingToken other) {
    return value < other.value;
  }

  public boolean isAbove(FencingToken other) {
    return value > other.value;
  }

  @Override
  public int compareTo(FencingToken other) {
    return Long.compare(value, other.value);
  }

  /** Canonical decimal, as it stands on the wire. */
  @Override
  public String toString() {
    return Long.toString(value);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.token;

/**
 * The era of a coordinator's history, 0 to 2^19 - 1. Raising it voids every token issued before:
 * all tokens of a newer generation are greater than all of an older one.
 */
public record Generation(int value) implements Comparable<Generation> {

  /** Bits of a token that are left for the revision. */
  static final int REVISION_BITS = 44;

  private static final int MAX = (1 << (63 - REVISION_BITS)) - 1;

  /** The generation of a coordinator that was never restored. */
  public static final Generation FIRST = new Generation(0);

  public Generation {
    if (value < 0 || value > MAX) {
      throw new IllegalArgumentException("generation " + value + " is outside 0.." + MAX);
    }
  }

  @Override
  public int compareTo(Generation other) {
    return Integer.compare(value, other.value);
  }
}

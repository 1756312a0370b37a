/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.witness;

import io.fencegate.policy.token.Generation;
import java.util.Comparator;

/**
 * How far a coordinator's history has come: its generation, then its revision. Ordered as the
 * tokens that are issued there, so a position below another is one where tokens would be lower.
 *
 * @param revision 0 or more
 */
public record Position(Generation generation, long revision) implements Comparable<Position> {

  /** Before everything. */
  public static final Position NONE = new Position(Generation.FIRST, 0);

  private static final Comparator<Position> ORDER =
      Comparator.comparing(Position::generation).thenComparingLong(Position::revision);

  public Position {
    if (revision < 0) {
      throw new IllegalArgumentException("revision " + revision + " is below 0");
    }
  }

  public boolean isBelow(Position other) {
    return compareTo(other) < 0;
  }

  @Override
  public int compareTo(Position other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return "revision " + revision + " of generation " + generation.value();
  }
}

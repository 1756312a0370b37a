/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import java.time.Duration;

/**
 * How a call may wait for a lock that it cannot have at once.
 *
 * @param patience how long, from the call; zero: not at all
 * @param maxWaiters calls that may wait for one lock, whichever gateways they came through
 * @param maxWaitersOfPrincipal those of them that one principal may have
 */
public record WaitTerms(Duration patience, int maxWaiters, int maxWaitersOfPrincipal) {

  /** Not at all. */
  public static final WaitTerms NONE = new WaitTerms(Duration.ZERO, 0, 0);

  /** What can be counted in one read of a queue. */
  public static final int MOST_WAITERS = 1_000;

  public WaitTerms {
    if (patience.isNegative() || maxWaiters > MOST_WAITERS) {
      throw new IllegalArgumentException(
          "a wait of " + patience + " among " + maxWaiters + ", at most " + MOST_WAITERS);
    }
  }

  boolean canWait() {
    return !patience.isZero();
  }
}

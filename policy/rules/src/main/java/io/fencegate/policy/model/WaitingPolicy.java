/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import io.fencegate.policy.name.Principal;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * Who may wait for a lock, and how long.
 *
 * @param maxWaiters calls that may wait for one lock at once, 1 to {@link #MOST_WAITERS}
 * @param maxWaitersPerPrincipal those of them that one principal may have; empty where the policy
 *     says nothing
 * @param maxWait the longest wait; longer ones are cut
 */
public record WaitingPolicy(int maxWaiters, OptionalInt maxWaitersPerPrincipal, Duration maxWait) {

  /** Every newcomer counts the queue, and every waiter keeps its place by a write each 1.5 s. */
  public static final int MOST_WAITERS = 1_000;

  /** Below the time after which the gateway closes a connection on which nothing moves. */
  public static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  private static final int DEFAULT_PER_PRINCIPAL = 8;

  public static final WaitingPolicy DEFAULT =
      new WaitingPolicy(64, OptionalInt.empty(), Duration.ofSeconds(50));

  /**
   * How many of the waiters may be this principal's. Callers that nobody has identified share the
   * whole queue unless the policy says otherwise: they are not one caller.
   */
  public int maxWaitersOf(Principal principal) {
    int standard =
        principal.equals(Principal.ANONYMOUS)
            ? maxWaiters
            : Math.min(maxWaiters, DEFAULT_PER_PRINCIPAL);
    return maxWaitersPerPrincipal.orElse(standard);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import java.time.Duration;
import java.util.Optional;

/**
 * What a write that may still land means for newer tokens, where the downstream cannot refuse it.
 *
 * @param settleAfter the time after which the downstream has finished or dropped it, as the policy
 *     asserts; empty: newer tokens stay blocked
 */
public record UnresolvedPolicy(Optional<Duration> settleAfter) {

  /** Newer tokens stay blocked. */
  public static final UnresolvedPolicy BLOCK = new UnresolvedPolicy(Optional.empty());
}

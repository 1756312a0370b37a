/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import java.time.Duration;

/**
 * Terms of a resource's lock.
 *
 * @param required whether a write must prove the present ownership with its leaseId
 * @param ttl what an acquire gets that asks for nothing; 2 s at least
 * @param maxTtl the longest that may be asked for
 * @param maxHold how long one hold may be extended; coarse, judged on the wall clock
 */
public record LeasePolicy(boolean required, Duration ttl, Duration maxTtl, Duration maxHold) {

  /** The shortest lease that is granted: shorter ones cannot outlive a coordinator election. */
  public static final Duration MIN_TTL = Duration.ofSeconds(2);

  public static final LeasePolicy DEFAULT =
      new LeasePolicy(true, Duration.ofSeconds(30), Duration.ofMinutes(5), Duration.ofHours(12));
}

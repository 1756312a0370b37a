/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import java.time.Duration;

/**
 * How acquires are treated.
 *
 * @param dedupRetention how long a repeated acquire gets its first result, {@link #MIN_DEDUP} to 1
 *     h
 */
public record AcquirePolicy(Duration dedupRetention, WaitingPolicy waiting) {

  /**
   * The longest time after a call's last look at the coordinator at which something of it can still
   * be committed: a call's deadline and a session's life.
   */
  public static final Duration LATEST_COMMIT = Duration.ofSeconds(15);

  /** Far above that: a repeat must find what a late transaction of the first call was granted. */
  public static final Duration MIN_DEDUP = LATEST_COMMIT.multipliedBy(2);

  public static final AcquirePolicy DEFAULT =
      new AcquirePolicy(Duration.ofMinutes(2), WaitingPolicy.DEFAULT);

  /**
   * The longest wait after which a caller whose connection broke unnoticed still finds what it was
   * granted at the wait's beginning.
   */
  public static Duration longestWait(Duration dedupRetention) {
    return dedupRetention.minus(LATEST_COMMIT);
  }
}

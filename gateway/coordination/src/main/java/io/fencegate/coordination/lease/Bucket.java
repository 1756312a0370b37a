/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lease;

import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.policy.time.ClockReading;
import java.time.Duration;

/**
 * One store lease that many keys share.
 *
 * @param askedNanos monotonic; when the grant request was about to leave, so the store lets the
 *     lease live at least until {@link #deadlineNanos()}
 */
public record Bucket(LeaseHandle lease, TtlClass ttlClass, long askedNanos) {

  /** A bucket is used for so long after its grant was asked for, and lives so much longer. */
  static final Duration USE = Duration.ofSeconds(1);

  static final int SECONDS_ON_TOP = 1;

  /** Until when the lease lives for certain (monotonic). */
  public long deadlineNanos() {
    return askedNanos + ttlClass.ttl().toNanos() + Duration.ofSeconds(SECONDS_ON_TOP).toNanos();
  }

  boolean isUsable(ClockReading now) {
    return now.isBefore(askedNanos + USE.toNanos());
  }
}

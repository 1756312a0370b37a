/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.store.LeaseHandle;
import java.util.concurrent.TimeUnit;

/**
 * A lease that lives.
 *
 * @param deadlineNanos on the monotonic clock
 */
record Lease(LeaseHandle handle, long ttlSeconds, long deadlineNanos) {

  static Lease from(long nowNanos, LeaseHandle handle, long ttlSeconds) {
    return new Lease(handle, ttlSeconds, nowNanos + TimeUnit.SECONDS.toNanos(ttlSeconds));
  }

  /** Order by deadline, also where the monotonic clock wraps around; the older lease first. */
  static int byDeadline(Lease a, Lease b) {
    int order = Long.compare(a.deadlineNanos - b.deadlineNanos, 0);
    return order != 0 ? order : Long.compare(a.handle.id(), b.handle.id());
  }
}

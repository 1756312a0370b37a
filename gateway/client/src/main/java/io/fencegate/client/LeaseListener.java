/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.lease.LeaseState;

/** Told when the kind of a lock's lease state changes. */
@FunctionalInterface
public interface LeaseListener {

  /**
   * Called on the client's one timer thread: return at once, or renewals are late. On {@code
   * Suspect} start no new work; on {@code Lost} stop what can be stopped.
   */
  void leaseChanged(HeldLock lock, LeaseState before, LeaseState after);
}

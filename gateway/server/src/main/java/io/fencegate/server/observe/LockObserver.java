/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.observe;

import io.fencegate.coordination.lock.AcquireRequest;
import io.fencegate.coordination.lock.Cancellation;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.lock.Release;
import io.fencegate.coordination.lock.Renewal;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.LeaseId;
import java.time.Duration;

/** Told once of every lock call's end; keeps counts and the audit trail. */
public interface LockObserver {

  /**
   * An acquire was answered.
   *
   * @param patience how long it might have waited in the queue; zero for not at all
   */
  void acquired(AcquireRequest request, Duration patience, Ruling<Grant> ruling, long tookNanos);

  void renewed(ResourceName resource, Ruling<Renewal> ruling, long tookNanos);

  void cancelled(ResourceName resource, Ruling<Cancellation> ruling, long tookNanos);

  void released(ResourceName resource, LeaseId leaseId, Ruling<Release> ruling, long tookNanos);
}

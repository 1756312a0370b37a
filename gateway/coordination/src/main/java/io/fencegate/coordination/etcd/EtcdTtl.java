/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import io.etcd.jetcd.api.LeaseTimeToLiveResponse;
import io.fencegate.coordination.store.LeaseTtl;

/**
 * Reads how long a lease lives. A node that has just stopped leading takes every lease for endless,
 * and before 3.4.32 and 3.5.14 etcd may answer with that: some 9,223,372,036 s. A new leader, on
 * the other hand, rightly lets leases live a little longer than was granted.
 */
final class EtcdTtl {

  /** etcd's longest election timeout is 50 s; the rest spreads the ends of many leases. */
  static final long MAX_ON_TOP_SECONDS = 60;

  private EtcdTtl() {}

  /**
   * Never more than was granted: the next leader counts from there anew.
   *
   * @throws IllegalArgumentException when this is no answer
   */
  static LeaseTtl read(LeaseTimeToLiveResponse found) {
    long seconds = found.getTTL();
    if (seconds < 0) {
      return new LeaseTtl.Gone();
    }
    long granted = found.getGrantedTTL();
    if (granted <= 0 || seconds - granted > MAX_ON_TOP_SECONDS) {
      throw new IllegalArgumentException(
          "a lease of " + granted + " s is said to live for " + seconds + " s more");
    }
    return new LeaseTtl.Alive(Math.min(seconds, granted));
  }
}

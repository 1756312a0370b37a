/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.LeaseProof;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What this gateway last saw of locks that it granted or renewed. Hints: nothing is decided by it.
 */
final class RememberedLocks {

  /** Some 300 bytes each; a lock beyond costs its renewal one look. */
  static final int MAX_REMEMBERED = 50_000;

  /** A lock and who holds it. */
  record Held(ResourceName resource, LeaseProof proof) {}

  /**
   * What was seen.
   *
   * @param lease that the lock's key was on
   * @param grantedAtMillis wall clock, for the coarse bound on one hold
   */
  record Seen(
      long modRevision,
      LeaseHandle lease,
      int ttlSeconds,
      long grantedAtMillis,
      FencingToken token) {

    Seen touched(long revision, LeaseHandle newLease) {
      return new Seen(revision, newLease, ttlSeconds, grantedAtMillis, token);
    }
  }

  private final Map<Held, Seen> seen = new LinkedHashMap<>();

  Optional<Seen> get(Held held) {
    return Optional.ofNullable(seen.get(held));
  }

  /** Remembers; what was not put for the longest time goes first. */
  void put(Held held, Seen what) {
    seen.remove(held);
    if (seen.size() >= MAX_REMEMBERED) {
      seen.remove(seen.keySet().iterator().next());
    }
    seen.put(held, what);
  }

  void remove(Held held) {
    seen.remove(held);
  }
}

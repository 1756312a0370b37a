/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.history;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * A fenced lock at one moment.
 *
 * @param highest token that was granted
 * @param epoch highest token that a write was applied with
 * @param granted requests that were granted and are asked again later, or never answered
 */
record LockState(Optional<Hold> hold, long highest, long epoch, Set<String> granted) {

  static final LockState NEW = new LockState(Optional.empty(), 0, 0, Set.of());

  /**
   * Who holds the lock.
   *
   * @param token 0 where nobody was ever told
   * @param lease empty where nobody was ever told
   * @param sureUntilNanos the lease cannot end before
   */
  record Hold(String request, long token, String lease, long sureUntilNanos) {}

  boolean isFree() {
    return hold.isEmpty();
  }

  boolean isHeldBy(String lease) {
    return hold.filter(it -> it.lease().equals(lease)).isPresent();
  }

  LockState freed() {
    return new LockState(Optional.empty(), highest, epoch, granted);
  }

  LockState heldBy(Hold next) {
    return new LockState(Optional.of(next), Math.max(highest, next.token()), epoch, granted);
  }

  LockState sureUntil(long nanos) {
    Hold now = hold.orElseThrow();
    long later = Math.max(now.sureUntilNanos(), nanos);
    return heldBy(new Hold(now.request(), now.token(), now.lease(), later));
  }

  LockState remembering(String request) {
    Set<String> more = new HashSet<>(granted);
    more.add(request);
    return new LockState(hold, highest, epoch, Set.copyOf(more));
  }

  LockState forgetting(String request) {
    if (!granted.contains(request)) {
      return this;
    }
    Set<String> fewer = new HashSet<>(granted);
    fewer.remove(request);
    return new LockState(hold, highest, epoch, Set.copyOf(fewer));
  }

  LockState withEpoch(long token) {
    return new LockState(hold, highest, Math.max(epoch, token), granted);
  }

  @Override
  public String toString() {
    return hold.map(it -> "held by " + it.request() + " with token " + it.token()).orElse("free")
        + ", highest token "
        + highest
        + (epoch > 0 ? ", epoch " + epoch : "");
  }
}

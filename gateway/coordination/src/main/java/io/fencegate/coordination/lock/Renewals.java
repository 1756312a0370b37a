/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Entry;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.LeaseProof;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Extends leases. A lock that was granted or renewed here is touched at once; any other is looked
 * at first. The touch compares the modification revision, so what is remembered is a hint only:
 * where it is wrong, the answer says what is there, and that decides.
 */
final class Renewals {

  private final Desk desk;
  private final RememberedLocks remembered = new RememberedLocks();
  private final Map<RememberedLocks.Held, Future<Ruling<Renewal>>> underWay = new HashMap<>();

  Renewals(Desk desk) {
    this.desk = desk;
  }

  /** One call; see {@link LockService#renew}. */
  record Call(
      ResourceName resource,
      LeaseProof proof,
      Optional<Duration> ttl,
      Duration maxHold,
      long deadlineNanos) {

    RememberedLocks.Held held() {
      return new RememberedLocks.Held(resource, proof);
    }
  }

  /** A lock was granted here. */
  void granted(Award award, FencingToken token, long revision) {
    AcquireRequest request = award.request();
    remembered.put(
        new RememberedLocks.Held(request.resource(), award.leaseId().proof()),
        new RememberedLocks.Seen(
            revision,
            award.lastLease(),
            request.ttlClass().seconds(),
            award.lastWallMillis(),
            token));
  }

  void forget(ResourceName resource, LeaseProof proof) {
    remembered.remove(new RememberedLocks.Held(resource, proof));
  }

  /** One renewal per lease is under way; later calls join it. */
  Future<Ruling<Renewal>> renew(Call call) {
    Future<Ruling<Renewal>> earlier = underWay.get(call.held());
    if (earlier != null) {
      return earlier;
    }
    Future<Ruling<Renewal>> renewal =
        remembered
            .get(call.held())
            .map(seen -> touch(call, seen))
            .orElseGet(
                () -> desk.look(call.resource(), call.deadlineNanos(), look -> asSeen(call, look)));
    underWay.put(call.held(), renewal);
    return renewal.onComplete(unused -> underWay.remove(call.held()));
  }

  /** A lock that moved since it was seen is touched again until the deadline. */
  private Future<Ruling<Renewal>> asSeen(Call call, Commit.Judged look) {
    Optional<Entry> lock = look.result().entry(0);
    Optional<LockRecord> mine =
        lock.map(entry -> LockRecord.decode(entry.value()))
            .filter(record -> record.isOwnedBy(call.proof(), look.generation()));
    if (mine.isEmpty()) {
      return lost(call, "this lease does not own the lock (any more)");
    }
    return touch(
        call,
        new RememberedLocks.Seen(
            lock.orElseThrow().modRevision(),
            lock.orElseThrow().lease(),
            mine.get().ttlSeconds(),
            mine.get().grantedAtMillis(),
            mine.get().token(lock.orElseThrow())));
  }

  private Future<Ruling<Renewal>> touch(Call call, RememberedLocks.Seen seen) {
    long heldMillis = desk.clocks().read().wallMillis() - seen.grantedAtMillis();
    if (heldMillis > call.maxHold().toMillis()) {
      return lost(call, "the lock was held for longer than lease.maxHold " + call.maxHold());
    }
    TtlClass ttlClass = TtlClass.atLeast(call.ttl().orElse(Duration.ofSeconds(seen.ttlSeconds())));
    RenewTransaction touch =
        new RenewTransaction(
            desk.keys(),
            new RenewTransaction.Target(
                call.resource(), call.proof(), seen.modRevision(), expiresNanos(seen)),
            ttlClass);
    return desk.submit(
        touch,
        call.deadlineNanos(),
        judged ->
            judged.result().held()
                ? renewed(call, seen, touch, judged.revision())
                : asSeen(call, judged));
  }

  /** A lease of unknown age may run out any moment. */
  private long expiresNanos(RememberedLocks.Seen seen) {
    return desk.buckets()
        .knownDeadlineNanos(seen.lease())
        .orElseGet(() -> desk.clocks().read().monotonicNanos());
  }

  private Future<Ruling<Renewal>> renewed(
      Call call, RememberedLocks.Seen seen, RenewTransaction touch, long revision) {
    remembered.put(call.held(), seen.touched(revision, touch.lastLease()));
    return desk.remaining(touch.lastLease(), touch.ttlClass())
        .map(millis -> Ruling.granted(new Renewal(call.resource(), seen.token(), millis)));
  }

  private Future<Ruling<Renewal>> lost(Call call, String detail) {
    remembered.remove(call.held());
    return Future.succeededFuture(Ruling.refused(RefusalCode.LEASE_LOST.because(detail)));
  }
}

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
import io.fencegate.policy.token.LeaseId;
import io.fencegate.policy.token.LeaseProof;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Extends leases; calls for the same lease while one is under way join it. */
final class Renewals {

  private final Desk desk;
  private final Map<Held, Future<Ruling<Renewal>>> renewing = new HashMap<>();

  Renewals(Desk desk) {
    this.desk = desk;
  }

  private record Held(ResourceName resource, LeaseProof proof) {}

  private record Call(
      ResourceName resource,
      LeaseProof proof,
      Optional<Duration> ttl,
      Duration maxHold,
      long deadlineNanos) {}

  Future<Ruling<Renewal>> renew(
      ResourceName resource,
      LeaseId leaseId,
      Optional<Duration> ttl,
      Duration maxHold,
      long deadlineNanos) {
    LeaseProof proof = leaseId.proof();
    Held held = new Held(resource, proof);
    Future<Ruling<Renewal>> underWay = renewing.get(held);
    if (underWay != null) {
      return underWay;
    }
    Call call = new Call(resource, proof, ttl, maxHold, deadlineNanos);
    Future<Ruling<Renewal>> renewal = desk.look(resource, deadlineNanos, j -> asSeen(call, j));
    renewing.put(held, renewal);
    return renewal.onComplete(unused -> renewing.remove(held));
  }

  /** One look, one touch; a lock that moved in between is looked at again until the deadline. */
  private Future<Ruling<Renewal>> asSeen(Call call, Commit.Judged look) {
    Optional<Entry> lock = look.result().entry(0);
    Optional<LockRecord> mine =
        lock.map(entry -> LockRecord.decode(entry.value()))
            .filter(record -> record.isOwnedBy(call.proof(), look.generation()));
    if (mine.isEmpty()) {
      return Future.succeededFuture(lost("this lease does not own the lock (any more)"));
    }
    long heldMillis = desk.clocks().read().wallMillis() - mine.get().grantedAtMillis();
    if (heldMillis > call.maxHold().toMillis()) {
      return Future.succeededFuture(
          lost("the lock was held for longer than lease.maxHold " + call.maxHold()));
    }
    TtlClass ttlClass =
        TtlClass.atLeast(call.ttl().orElse(Duration.ofSeconds(mine.get().ttlSeconds())));
    RenewTransaction touch =
        new RenewTransaction(
            desk.keys(), call.resource(), call.proof(), ttlClass, lock.orElseThrow().modRevision());
    return desk.submit(
        touch,
        call.deadlineNanos(),
        judged ->
            judged.result().held()
                ? renewed(call, mine.get().token(lock.orElseThrow()), touch, ttlClass)
                : asSeen(call, judged));
  }

  private Future<Ruling<Renewal>> renewed(
      Call call, FencingToken token, RenewTransaction touch, TtlClass ttlClass) {
    return desk.remaining(touch.lastLease(), ttlClass)
        .map(millis -> Ruling.granted(new Renewal(call.resource(), token, millis)));
  }

  private static Ruling<Renewal> lost(String detail) {
    return Ruling.refused(RefusalCode.LEASE_LOST.because(detail));
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.key.RequestRecord;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Entry;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.Generation;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;

/** What a call is answered that was granted the lock, is a repeat, or finds the lock taken. */
record Grants(Desk desk, Renewals renewals) {

  /** Hint to a caller that found the lock held: it may be released early. */
  private static final long MAX_RETRY_HINT_MILLIS = 1_000;

  /** The lock as this very transaction put it. */
  Future<Ruling<Grant>> granted(Award award, Commit.Judged judged) {
    AcquireRequest request = award.request();
    FencingToken token = FencingToken.of(judged.generation(), judged.revision());
    renewals.granted(award, token, judged.revision());
    return desk.remaining(award.lastLease(), request.ttlClass())
        .map(
            remaining ->
                Ruling.granted(
                    new Grant(
                        request.resource(),
                        award.leaseId(),
                        token,
                        request.ttlClass().ttl(),
                        remaining,
                        request.holder())));
  }

  /** What an earlier call, or an earlier sending of this one, was granted. */
  Future<Ruling<Grant>> earlier(Award award, Entry granted, long deadlineNanos) {
    return desk.look(
        award.request().resource(),
        deadlineNanos,
        judged ->
            earlier(award, granted, judged.result().entry(0), judged.generation(), deadlineNanos));
  }

  /** The same with the lock as it was read together with the record. */
  Future<Ruling<Grant>> earlier(
      Award award, Entry granted, Optional<Entry> lock, Generation generation, long deadlineNanos) {
    RequestRecord first = RequestRecord.decode(granted.value());
    if (!first.parameters().equals(award.request().parameters())) {
      return Future.succeededFuture(reused(award.request()));
    }
    Optional<Entry> own = lock.filter(entry -> isOwn(first, entry, generation));
    boolean untouched = own.filter(it -> it.modRevision() == it.createRevision()).isPresent();
    return untouched && first.mayBeGivenBack() && !award.isOf(first)
        ? claimed(award, granted, own.orElseThrow(), deadlineNanos)
        : answer(award.request(), first, granted, own);
  }

  /** The first call might be giving the lock back: whatever it does, this answer is true after. */
  private Future<Ruling<Grant>> claimed(
      Award award, Entry granted, Entry lock, long deadlineNanos) {
    RequestRecord first = RequestRecord.decode(granted.value());
    return desk.submit(
        new ClaimTransaction(
            desk.keys(), award.request().resource(), first.leaseId().proof(), lock),
        deadlineNanos,
        judged -> {
          Optional<Entry> now = judged.result().entry(judged.result().held() ? 1 : 0);
          return answer(
              award.request(),
              first,
              granted,
              now.filter(entry -> isOwn(first, entry, judged.generation())));
        });
  }

  private static boolean isOwn(RequestRecord first, Entry lock, Generation generation) {
    return LockRecord.decode(lock.value()).isOwnedBy(first.leaseId().proof(), generation);
  }

  private Future<Ruling<Grant>> answer(
      AcquireRequest request, RequestRecord first, Entry granted, Optional<Entry> ownLock) {
    TtlClass ttlClass = new TtlClass(first.ttlClass());
    Future<Long> remaining =
        ownLock
            .map(lock -> desk.remaining(lock.lease(), ttlClass))
            .orElseGet(() -> Future.succeededFuture(0L));
    return remaining.map(
        millis ->
            Ruling.granted(
                new Grant(
                    request.resource(),
                    first.leaseId(),
                    first.token(granted),
                    ttlClass.ttl(),
                    millis,
                    request.holder())));
  }

  /** The lock cannot be had now. */
  Future<Ruling<Grant>> taken(Optional<Entry> lock) {
    if (lock.isEmpty()) {
      return Future.succeededFuture(
          taken("others are waiting for the lock", MAX_RETRY_HINT_MILLIS));
    }
    LockRecord holder = LockRecord.decode(lock.get().value());
    return desk.remaining(
            lock.get().lease(), TtlClass.atLeast(Duration.ofSeconds(holder.ttlSeconds())))
        .map(
            remaining ->
                taken("the lock is held with token " + holder.token(lock.get()), remaining));
  }

  private static Ruling<Grant> taken(String detail, long remainingMillis) {
    long hint = Math.max(1, Math.min(remainingMillis, MAX_RETRY_HINT_MILLIS));
    return Ruling.refused(RefusalCode.LOCK_HELD.because(detail).retryAfter(hint));
  }

  static Ruling<Grant> reused(AcquireRequest request) {
    return Ruling.refused(
        RefusalCode.REQUEST_ID_REUSED
            .because(
                "requestId "
                    + request.requestId()
                    + " came before with another holder, leaseTtlMs or metadata")
            .atField("requestId"));
  }
}

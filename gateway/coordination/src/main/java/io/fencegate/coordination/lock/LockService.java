/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.commit.CommitBatcher;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.key.RequestRecord;
import io.fencegate.coordination.lease.LeaseBuckets;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Entry;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.LeaseId;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Locks with fencing tokens. One transaction decides each call; a token is the generation and the
 * create revision of the lock's key, so tokens of a resource only rise, also after its records are
 * gone.
 *
 * <p>Futures never fail but on defects; all are answered by the deadline given. Used from one
 * context.
 */
public final class LockService {

  /** Hint to a caller that found the lock held: it may be released early. */
  private static final long MAX_RETRY_HINT_MILLIS = 1_000;

  private final Keyspace keys;
  private final Clocks clocks;
  private final Supplier<LeaseId> newLeaseId;
  private final LockChanges changes;
  private final LockCommits commits;
  private final Renewals renewals;

  /** What the service works with. */
  public record Parts(
      Keyspace keys,
      CommitBatcher batcher,
      LeaseBuckets buckets,
      Clocks clocks,
      Supplier<LeaseId> newLeaseId,
      LockChanges changes) {}

  /**
   * A lock service.
   *
   * @param parts {@code newLeaseId} gives unguessable ids from a secure random source
   */
  public LockService(Parts parts) {
    this.keys = parts.keys();
    this.clocks = parts.clocks();
    this.newLeaseId = parts.newLeaseId();
    this.changes = parts.changes();
    this.commits = new LockCommits(keys, parts.batcher(), parts.buckets(), clocks);
    this.renewals = new Renewals(keys, commits, parts.buckets(), clocks);
  }

  /**
   * Takes the lock if it is free and nobody is before the caller; a repeat gets the first result.
   *
   * @param deadlineNanos monotonic
   */
  public Future<Ruling<Grant>> acquire(AcquireRequest request, long deadlineNanos) {
    AcquireTransaction transaction =
        new AcquireTransaction(keys, request, newLeaseId.get(), clocks.read().wallMillis());
    return commits.submit(
        transaction,
        deadlineNanos,
        judged ->
            judged.result().held()
                ? granted(request, transaction, judged)
                : notGranted(request, judged));
  }

  private Future<Ruling<Grant>> granted(
      AcquireRequest request, AcquireTransaction transaction, Commit.Judged judged) {
    FencingToken token = FencingToken.of(judged.generation(), judged.revision());
    renewals.granted(transaction, token, judged.revision());
    return commits
        .remaining(transaction.lastLease(), request.ttlClass())
        .map(
            remaining ->
                Ruling.granted(
                    grant(request, transaction.leaseId(), token, request.ttlClass(), remaining)));
  }

  private Future<Ruling<Grant>> notGranted(AcquireRequest request, Commit.Judged judged) {
    Optional<Entry> lock = judged.result().entry(AcquireTransaction.LOCK);
    Optional<Entry> earlier = judged.result().entry(AcquireTransaction.REQUEST);
    if (earlier.isPresent()) {
      return repeated(request, earlier.get(), lock, judged);
    }
    if (lock.isEmpty()) {
      return Future.succeededFuture(held("others are waiting for the lock", MAX_RETRY_HINT_MILLIS));
    }
    LockRecord holder = LockRecord.decode(lock.get().value());
    return commits
        .remaining(lock.get().lease(), TtlClass.atLeast(Duration.ofSeconds(holder.ttlSeconds())))
        .map(
            remaining ->
                held(
                    "the lock is held with token " + holder.token(lock.get()),
                    Math.max(1, Math.min(remaining, MAX_RETRY_HINT_MILLIS))));
  }

  private static Ruling<Grant> held(String detail, long retryAfterMillis) {
    return Ruling.refused(RefusalCode.LOCK_HELD.because(detail).retryAfter(retryAfterMillis));
  }

  private Future<Ruling<Grant>> repeated(
      AcquireRequest request, Entry earlier, Optional<Entry> lock, Commit.Judged judged) {
    RequestRecord first = RequestRecord.decode(earlier.value());
    if (!first.parameters().equals(request.parameters())) {
      return Future.succeededFuture(
          Ruling.refused(
              RefusalCode.REQUEST_ID_REUSED
                  .because(
                      "requestId "
                          + request.requestId()
                          + " came before with another holder, leaseTtlMs or metadata")
                  .atField("requestId")));
    }
    TtlClass ttlClass = new TtlClass(first.ttlClass());
    boolean lives =
        lock.map(entry -> LockRecord.decode(entry.value()))
            .filter(record -> record.isOwnedBy(first.leaseId().proof(), judged.generation()))
            .isPresent();
    Future<Long> remaining =
        lives
            ? commits.remaining(lock.orElseThrow().lease(), ttlClass)
            : Future.succeededFuture(0L);
    return remaining.map(
        millis ->
            Ruling.granted(
                grant(request, first.leaseId(), first.token(earlier), ttlClass, millis)));
  }

  private static Grant grant(
      AcquireRequest request,
      LeaseId leaseId,
      FencingToken token,
      TtlClass granted,
      long remaining) {
    return new Grant(
        request.resource(), leaseId, token, granted.ttl(), remaining, request.holder());
  }

  /**
   * Extends a lease that owns its lock. Calls for the same lease while one is under way join it.
   *
   * @param ttl what to extend by; empty: what was granted before
   * @param maxHold how long one hold may be extended, on the wall clock
   */
  public Future<Ruling<Renewal>> renew(
      ResourceName resource,
      LeaseId leaseId,
      Optional<Duration> ttl,
      Duration maxHold,
      long deadlineNanos) {
    return renewals.renew(
        new Renewals.Call(resource, leaseId.proof(), ttl, maxHold, deadlineNanos));
  }

  /** Frees the lock if this lease owns it; harmless to repeat. */
  public Future<Ruling<Release>> release(
      ResourceName resource, LeaseId leaseId, long deadlineNanos) {
    renewals.forget(resource, leaseId.proof());
    return commits.submit(
        new ReleaseTransaction(keys, resource, leaseId.proof()),
        deadlineNanos,
        judged -> Future.succeededFuture(Ruling.granted(released(resource, judged))));
  }

  private Release released(ResourceName resource, Commit.Judged judged) {
    if (judged.result().held()) {
      changes.seenHere(resource);
      return Release.RELEASED;
    }
    if (judged.result().entry(0).isPresent()) {
      return Release.NOT_HELD;
    }
    return judged.repeated() ? Release.RELEASED : Release.ALREADY_RELEASED;
  }

  /** Who holds the lock, linearizably. */
  public Future<Ruling<LockView>> show(ResourceName resource, long deadlineNanos) {
    return commits.look(
        resource,
        deadlineNanos,
        judged ->
            judged
                .result()
                .entry(0)
                .map(this::heldView)
                .orElseGet(() -> Future.succeededFuture(Ruling.granted(new LockView.Free()))));
  }

  private Future<Ruling<LockView>> heldView(Entry lock) {
    LockRecord record = LockRecord.decode(lock.value());
    return commits
        .remaining(lock.lease(), TtlClass.atLeast(Duration.ofSeconds(record.ttlSeconds())))
        .map(
            millis ->
                Ruling.granted(
                    new LockView.Held(
                        record.token(lock), record.holder(), record.metadataJson(), millis)));
  }
}

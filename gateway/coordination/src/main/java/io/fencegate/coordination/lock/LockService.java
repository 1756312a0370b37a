/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.commit.CommitBatcher;
import io.fencegate.coordination.key.Attempt;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.lease.LeaseBuckets;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.RequestId;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.LeaseId;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Locks with fencing tokens. One transaction decides each call; a token is the generation and the
 * create revision of the lock's key, so tokens of a resource only rise, also after its records are
 * gone. Who cannot have a lock at once may wait for it, first come, first served across gateways.
 *
 * <p>Futures never fail but on defects; all but those of waits are answered by the deadline given.
 * Used from one context.
 */
public final class LockService {

  private final Desk desk;
  private final IntFunction<byte[]> secureRandom;
  private final LockChanges changes;
  private final Renewals renewals;
  private final WaitQueue queue;
  private final Waiter.Parts waiterParts;

  /**
   * What the service works with.
   *
   * @param secureRandom gives that many bytes from a secure random source
   */
  public record Parts(
      Vertx vertx,
      CoordinationStore store,
      Keyspace keys,
      CommitBatcher batcher,
      LeaseBuckets buckets,
      Clocks clocks,
      IntFunction<byte[]> secureRandom,
      LockChanges changes) {}

  public LockService(Parts parts) {
    this.desk = new Desk(parts.keys(), parts.batcher(), parts.buckets(), parts.clocks());
    this.secureRandom = parts.secureRandom();
    this.changes = parts.changes();
    this.renewals = new Renewals(desk);
    this.queue = new WaitQueue(desk, parts.store());
    this.waiterParts =
        new Waiter.Parts(parts.vertx(), desk, new Grants(desk, renewals), queue, parts.changes());
    changes.listen(queue);
  }

  /**
   * Takes the lock if it is free and nobody is before the caller; a repeat gets the first result.
   *
   * @param deadlineNanos monotonic
   */
  public Future<Ruling<Grant>> acquire(AcquireRequest request, long deadlineNanos) {
    return acquire(request, WaitTerms.NONE, deadlineNanos).answer();
  }

  /**
   * Takes the lock, or waits for it in the order of arrival. A call for a request that waits
   * already takes that wait over, on whichever gateway it is; the earlier call is answered {@code
   * in-flight}.
   *
   * @param deadlineNanos monotonic; by when it is known whether the call has to wait. The answer of
   *     a wait comes at its end, and at most two steps of the coordinator later
   */
  public AcquireCall acquire(AcquireRequest request, WaitTerms terms, long deadlineNanos) {
    LeaseId leaseId = LeaseId.of(secureRandom.apply(LeaseId.BYTES));
    Attempt attempt = Attempt.of(secureRandom.apply(Attempt.BYTES));
    Award award =
        new Award(desk.keys(), request, leaseId, terms.canWait() ? attempt : Attempt.NONE);
    return Waiter.start(waiterParts, new Waiter.Call(award, attempt, terms), deadlineNanos);
  }

  /** Ends the wait of a request, on whichever gateway it is; harmless to repeat. */
  public Future<Ruling<Cancellation>> cancel(
      ResourceName resource, Principal principal, RequestId requestId, long deadlineNanos) {
    return new Cancels(desk, queue).cancel(resource, principal, requestId, deadlineNanos);
  }

  /** How many calls wait through this gateway. */
  public int waiting() {
    return queue.waiting();
  }

  /** How many calls of one lock wait through this gateway, of the lock with the most. */
  public int longestQueue() {
    return queue.longest();
  }

  /** Ends all waits of this gateway as {@code draining}, and lets nobody wait any more. */
  public void endWaits() {
    queue.drain();
  }

  /** Ends all waits of this gateway as {@code token-below-floor}. */
  public void historyLost() {
    queue.endAll(WaitEnd.HISTORY_LOST);
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
    return desk.submit(
        new ReleaseTransaction(desk.keys(), resource, leaseId.proof()),
        deadlineNanos,
        judged -> Future.succeededFuture(Ruling.granted(released(resource, judged))));
  }

  private Release released(ResourceName resource, Commit.Judged judged) {
    if (judged.result().held()) {
      changes.freed(resource, judged.revision());
      return Release.RELEASED;
    }
    if (judged.result().entry(0).isPresent()) {
      return Release.NOT_HELD;
    }
    return judged.repeated() ? Release.RELEASED : Release.ALREADY_RELEASED;
  }

  /** Who holds the lock, linearizably; how many wait for it is counted right after. */
  public Future<Ruling<LockView>> show(ResourceName resource, long deadlineNanos) {
    return desk.look(
        resource,
        deadlineNanos,
        judged ->
            queue
                .count(resource)
                .compose(waiters -> view(judged.result().entry(0), waiters))
                .map(Ruling::granted));
  }

  private Future<LockView> view(Optional<Entry> lock, int waiters) {
    if (lock.isEmpty()) {
      return Future.succeededFuture(new LockView.Free(waiters));
    }
    LockRecord record = LockRecord.decode(lock.get().value());
    TtlClass ttlClass = TtlClass.atLeast(Duration.ofSeconds(record.ttlSeconds()));
    return desk.remaining(lock.get().lease(), ttlClass)
        .map(
            millis ->
                new LockView.Held(
                    record.token(lock.get()),
                    record.holder(),
                    record.metadataJson(),
                    millis,
                    waiters));
  }
}

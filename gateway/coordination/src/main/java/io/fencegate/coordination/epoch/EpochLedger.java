/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.commit.CommitBatcher;
import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.commit.LookTransaction;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.lease.LeaseBuckets;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.witness.CoordinatorHistory;
import io.fencegate.policy.fence.FencingRules;
import io.fencegate.policy.fence.Verification;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.LeaseProof;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The epochs in the coordinator, and in the ledger besides it where there is one. Only a token that
 * the lock service issued for the very resource, while its lock is held, can raise one; a forged
 * token moves nothing. Used from one context.
 */
public final class EpochLedger {

  /** Forms that one verification tries: each fits what the last one found. */
  private static final int MAX_FORMS = 4;

  /** Least time from a check to the last byte, and the drift of two clocks over a lease. */
  public static final Duration MIN_MARGIN = Duration.ofMillis(250);

  /** The margin is at least the lease's TTL divided by this. */
  public static final int MARGIN_PART_OF_TTL = 50;

  private final Keyspace keys;
  private final CommitBatcher batcher;
  private final LeaseBuckets buckets;
  private final Clocks clocks;
  private final CoordinatorHistory history;
  private final EpochKeeping keeping;

  public EpochLedger(
      Keyspace keys,
      CommitBatcher batcher,
      LeaseBuckets buckets,
      Clocks clocks,
      CoordinatorHistory history,
      EpochKeeping keeping) {
    this.keys = keys;
    this.batcher = batcher;
    this.buckets = buckets;
    this.clocks = clocks;
    this.history = history;
    this.keeping = keeping;
  }

  /**
   * Confirms that the token is the present holder's and raises the resource's epoch to it.
   *
   * @param seen the epoch as last seen; null for none; only saves a round trip
   * @param deadlineNanos monotonic
   */
  public Future<Ruling<Verified>> verifyAndRaise(
      ResourceName resource,
      WriteHeader header,
      boolean leaseRequired,
      @Nullable FencingToken seen,
      long deadlineNanos) {
    return keeping.raise(
        call(resource, header, leaseRequired, deadlineNanos),
        () -> inCoordinator(resource, header, leaseRequired, seen, deadlineNanos),
        () -> inCoordinator(resource, header, leaseRequired, header.token(), deadlineNanos));
  }

  private EpochKeeping.Call call(
      ResourceName resource, WriteHeader header, boolean leaseRequired, long deadlineNanos) {
    return new EpochKeeping.Call(
        resource,
        EpochRecord.accepted(header.token()),
        higher -> refusedByDownstream(resource, header, leaseRequired, higher, deadlineNanos),
        deadlineNanos);
  }

  private Future<Ruling<Verified>> inCoordinator(
      ResourceName resource,
      WriteHeader header,
      boolean leaseRequired,
      @Nullable FencingToken seen,
      long deadlineNanos) {
    LeaseProof owner = leaseRequired ? header.proof() : null;
    return verify(
        new VerifyTransaction(
            keys,
            resource,
            header,
            leaseRequired,
            new VerifyTransaction.Seen(seen == null ? null : EpochRecord.accepted(seen), owner)),
        deadlineNanos,
        MAX_FORMS);
  }

  private Future<Ruling<Verified>> verify(
      VerifyTransaction form, long deadlineNanos, int formsLeft) {
    ClockReading askedAt = clocks.read();
    return batcher
        .submit(form, deadlineNanos)
        .compose(
            commit ->
                commit.ruling(judged -> judge(form, askedAt, judged, deadlineNanos, formsLeft)))
        .recover(failure -> Future.succeededFuture(unavailable(failure)));
  }

  private Future<Ruling<Verified>> judge(
      VerifyTransaction form,
      ClockReading askedAt,
      Commit.Judged judged,
      long deadlineNanos,
      int formsLeft) {
    EpochRules.Look look = look(judged);
    Optional<Refusal> refusal = EpochRules.judge(form.header(), form.leaseRequired(), look);
    if (refusal.isPresent()) {
      noteContradiction(form.resource(), form.header(), refusal.get());
      return Future.succeededFuture(Ruling.refused(refusal.get()));
    }
    if (judged.result().held()) {
      return verified(form.header(), askedAt, look, judged);
    }
    if (formsLeft == 1) {
      return Future.succeededFuture(
          Ruling.refused(
              RefusalCode.COORDINATOR_UNAVAILABLE.because("lock and epoch keep changing")));
    }
    return verify(next(form, look), deadlineNanos, formsLeft - 1);
  }

  private static EpochRules.Look look(Commit.Judged judged) {
    return new EpochRules.Look(
        judged.revision(),
        judged.generation(),
        judged.result().entry(VerifyTransaction.LOCK),
        judged.result().entry(VerifyTransaction.EPOCH));
  }

  /**
   * What {@link #verifyAndRaise} would say of the token now; raises nothing, so that the epoch may
   * be lower than the token when it is granted. Gives no permission to write.
   */
  public Future<Ruling<Verified>> verify(
      ResourceName resource, WriteHeader header, boolean leaseRequired, long deadlineNanos) {
    return keeping.judge(
        call(resource, header, leaseRequired, deadlineNanos),
        () -> judgeInCoordinator(resource, header, leaseRequired, deadlineNanos));
  }

  private Future<Ruling<Verified>> judgeInCoordinator(
      ResourceName resource, WriteHeader header, boolean leaseRequired, long deadlineNanos) {
    ClockReading askedAt = clocks.read();
    return batcher
        .submit(new EpochLook(resource, VerifyTransaction.look(keys, resource)), deadlineNanos)
        .compose(
            commit ->
                commit.ruling(
                    judged -> {
                      EpochRules.Look look = look(judged);
                      Optional<Refusal> refusal = EpochRules.judge(header, leaseRequired, look);
                      return refusal.isPresent()
                          ? Future.succeededFuture(Ruling.<Verified>refused(refusal.get()))
                          : verified(header, askedAt, look, judged);
                    }))
        .recover(failure -> Future.succeededFuture(unavailable(failure)));
  }

  private void noteContradiction(ResourceName resource, WriteHeader header, Refusal refusal) {
    FencingToken epoch = refusal.epoch();
    if (refusal.code() == RefusalCode.TOKEN_BELOW_FLOOR && epoch != null) {
      history.contradicted(resource, header.token(), epoch);
    }
  }

  /** The form that fits what was found. */
  private static VerifyTransaction next(VerifyTransaction form, EpochRules.Look look) {
    LeaseProof owner =
        form.leaseRequired()
            ? form.header().proof()
            : look.lock().map(entry -> LockRecord.decode(entry.value()).proof()).orElse(null);
    return new VerifyTransaction(
        form.keys(),
        form.resource(),
        form.header(),
        form.leaseRequired(),
        new VerifyTransaction.Seen(look.record().orElse(null), owner));
  }

  private Future<Ruling<Verified>> verified(
      WriteHeader header, ClockReading askedAt, EpochRules.Look look, Commit.Judged judged) {
    FencingToken confirmed =
        judged.result().entry(VerifyTransaction.CONFIRMED).map(EpochRecord::raisedIn).orElse(null);
    return goodUntil(askedAt, look.lock())
        .map(
            goodUntilNanos ->
                Ruling.granted(
                    new Verified(
                        new Verification(header.token(), header.proof(), goodUntilNanos),
                        askedAt,
                        confirmed)));
  }

  /** Until the lock's lease may end; where no lock is needed, as long as a heartbeat counts. */
  private Future<Long> goodUntil(ClockReading askedAt, Optional<Entry> lock) {
    if (lock.isEmpty()) {
      return Future.succeededFuture(
          askedAt.monotonicNanos() + GatewaySession.MAX_STALENESS.toNanos());
    }
    Duration ttl = Duration.ofSeconds(LockRecord.decode(lock.get().value()).ttlSeconds());
    TtlClass granted = TtlClass.atLeast(ttl);
    return buckets
        .deadlineNanos(lock.get().lease(), granted)
        .map(deadline -> deadline - margin(ttl).toNanos());
  }

  /** max(250 ms, TTL / 50): clock-rate drift plus the time from the check to the last byte. */
  static Duration margin(Duration ttl) {
    Duration part = ttl.dividedBy(MARGIN_PART_OF_TTL);
    return part.compareTo(MIN_MARGIN) > 0 ? part : MIN_MARGIN;
  }

  private static <T> Ruling<T> unavailable(Throwable failure) {
    return Ruling.refused(
        RefusalCode.COORDINATOR_UNAVAILABLE.because(String.valueOf(failure.getMessage())));
  }

  /**
   * Records that the downstream accepted the token: a witness for a downstream that loses commits
   * later.
   */
  public Future<Ruling<FencingToken>> confirm(
      ResourceName resource, FencingToken token, @Nullable FencingToken seen, long deadlineNanos) {
    return confirm(new ConfirmTransaction(keys, resource, token, seen), deadlineNanos, MAX_FORMS)
        .compose(
            ruling ->
                ruling.fold(
                    recorded -> confirmBesides(resource, recorded, deadlineNanos),
                    refusal -> Future.succeededFuture(Ruling.refused(refusal))));
  }

  private Future<Ruling<FencingToken>> confirmBesides(
      ResourceName resource, FencingToken recorded, long deadlineNanos) {
    return keeping.with(
        deadlineNanos,
        () -> Future.succeededFuture(Ruling.granted(recorded)),
        ledger ->
            ledger
                .confirm(resource, recorded, deadlineNanos)
                .map(ruling -> ruling.map(it -> it.isAbove(recorded) ? it : recorded)));
  }

  private Future<Ruling<FencingToken>> confirm(
      ConfirmTransaction form, long deadlineNanos, int formsLeft) {
    return batcher
        .submit(form, deadlineNanos)
        .compose(
            commit -> commit.ruling(judged -> confirmed(form, judged, deadlineNanos, formsLeft)));
  }

  private Future<Ruling<FencingToken>> confirmed(
      ConfirmTransaction form, Commit.Judged judged, long deadlineNanos, int formsLeft) {
    if (judged.result().held()) {
      return Future.succeededFuture(Ruling.granted(form.token()));
    }
    FencingToken found = judged.result().entry(0).map(EpochRecord::raisedIn).orElse(null);
    if (found != null && !found.isBelow(form.token())) {
      return Future.succeededFuture(Ruling.granted(found));
    }
    if (formsLeft == 1) {
      return Future.succeededFuture(
          Ruling.refused(RefusalCode.COORDINATOR_UNAVAILABLE.because("the record keeps changing")));
    }
    return confirm(
        new ConfirmTransaction(keys, form.resource(), form.token(), found),
        deadlineNanos,
        formsLeft - 1);
  }

  /**
   * What it means that a downstream refused this token because of a higher epoch. Usually a newer
   * holder was there; but if the coordinator still shows this token as the present holder's, asked
   * after the refusal, then it issues lower tokens than were accepted. Where that cannot be found
   * out, the token counts as stale.
   */
  public Future<Refusal> refusedByDownstream(
      ResourceName resource,
      WriteHeader header,
      boolean leaseRequired,
      FencingToken epoch,
      long deadlineNanos) {
    Refusal stale = FencingRules.stale(header.token(), epoch);
    return batcher
        .submit(new LookTransaction(resource, keys.lock(resource)), deadlineNanos)
        .map(
            commit -> {
              if (commit instanceof Commit.Judged judged
                  && EpochRules.isPresentHolder(header, leaseRequired, lockOnly(judged))) {
                history.contradicted(resource, header.token(), epoch);
                return EpochRules.belowFloor(header.token(), epoch);
              }
              return stale;
            });
  }

  private static EpochRules.Look lockOnly(Commit.Judged judged) {
    return new EpochRules.Look(
        judged.revision(), judged.generation(), judged.result().entry(0), Optional.empty());
  }

  /** The resource's epoch as it is recorded; empty where none was ever raised. */
  public Future<Ruling<Optional<FencingToken>>> epoch(ResourceName resource, long deadlineNanos) {
    return batcher
        .submit(new LookTransaction(resource, keys.epoch(resource)), deadlineNanos)
        .compose(
            commit ->
                commit.ruling(
                    judged ->
                        Future.succeededFuture(
                            Ruling.granted(judged.result().entry(0).map(EpochRecord::raisedIn)))));
  }
}

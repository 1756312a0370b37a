/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.commit.CommitBatcher;
import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.store.Entry;
import io.fencegate.policy.fence.Verification;
import io.fencegate.policy.model.TokenSource;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Epochs that tokens of somebody else raise. There is no lock to ask, so what is believed is
 * bounded by {@link ExternalRules}; and no lease, so a confirmation is good for as long as a
 * heartbeat counts. Used from one context.
 */
public final class ExternalEpochs {

  /** Raises that one call tries: each fits what the last one found. */
  private static final int MAX_RAISES = 4;

  private final Keyspace keys;
  private final CommitBatcher batcher;
  private final Clocks clocks;

  public ExternalEpochs(Keyspace keys, CommitBatcher batcher, Clocks clocks) {
    this.keys = keys;
    this.batcher = batcher;
    this.clocks = clocks;
  }

  private record Call(
      ResourceName resource,
      FencingToken token,
      TokenSource.External source,
      boolean raises,
      long deadlineNanos) {}

  /**
   * Accepts the token and raises the resource's epoch to it.
   *
   * @param deadlineNanos monotonic
   */
  public Future<Ruling<Verified>> verifyAndRaise(
      ResourceName resource, FencingToken token, TokenSource.External source, long deadlineNanos) {
    return look(new Call(resource, token, source, true, deadlineNanos));
  }

  /**
   * What {@link #verifyAndRaise} would say now; raises nothing and gives no permission to write.
   */
  public Future<Ruling<Verified>> verify(
      ResourceName resource, FencingToken token, TokenSource.External source, long deadlineNanos) {
    return look(new Call(resource, token, source, false, deadlineNanos));
  }

  private Future<Ruling<Verified>> look(Call call) {
    ClockReading askedAt = clocks.read();
    return batcher
        .submit(new EpochLook(keys, call.resource()), call.deadlineNanos())
        .compose(commit -> commit.ruling(found -> judge(call, askedAt, found, MAX_RAISES)))
        .recover(ExternalEpochs::unavailable);
  }

  private Future<Ruling<Verified>> judge(
      Call call, ClockReading askedAt, Commit.Judged found, int raisesLeft) {
    Optional<Entry> entry = found.result().entry(VerifyTransaction.EPOCH);
    Optional<EpochRecord> record = entry.map(it -> EpochRecord.decode(it.value()));
    Optional<Refusal> refusal = ExternalRules.judge(call.token(), call.source(), record);
    if (refusal.isPresent()) {
      return Future.succeededFuture(Ruling.refused(refusal.get()));
    }
    boolean there = record.filter(it -> it.raised().equals(call.token())).isPresent();
    if (there || !call.raises()) {
      return Future.succeededFuture(Ruling.granted(verified(call, askedAt, found)));
    }
    return raisesLeft == 0
        ? Future.succeededFuture(
            Ruling.refused(RefusalCode.COORDINATOR_UNAVAILABLE.because("the epoch keeps changing")))
        : raise(call, entry, raisesLeft);
  }

  private Future<Ruling<Verified>> raise(Call call, Optional<Entry> epoch, int raisesLeft) {
    ClockReading askedAt = clocks.read();
    return batcher
        .submit(
            new ExternalTransaction(keys, call.resource(), call.token(), epoch),
            call.deadlineNanos())
        .compose(
            commit ->
                commit.ruling(
                    found ->
                        found.result().held()
                            ? Future.succeededFuture(Ruling.granted(verified(call, askedAt, found)))
                            : judge(call, askedAt, found, raisesLeft - 1)));
  }

  private static Verified verified(Call call, ClockReading askedAt, Commit.Judged found) {
    @Nullable FencingToken confirmed =
        found.result().entry(VerifyTransaction.CONFIRMED).map(EpochRecord::raisedIn).orElse(null);
    long goodUntilNanos = askedAt.monotonicNanos() + GatewaySession.MAX_STALENESS.toNanos();
    return new Verified(new Verification(call.token(), null, goodUntilNanos), askedAt, confirmed);
  }

  private static <T> Future<Ruling<T>> unavailable(Throwable failure) {
    return Future.succeededFuture(
        Ruling.refused(
            RefusalCode.COORDINATOR_UNAVAILABLE.because(String.valueOf(failure.getMessage()))));
  }
}

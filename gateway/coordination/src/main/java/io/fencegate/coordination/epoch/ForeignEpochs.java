/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.commit.CommitBatcher;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.policy.fence.FencingRules;
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
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Epochs that tokens of somebody else than the lock service raise: a look, the judgement of the
 * source, and where it is a yes one transaction that raises if what was judged still holds. Used
 * from one context.
 */
public final class ForeignEpochs {

  /** Raises that one call tries: each fits what the last one found. */
  private static final int MAX_RAISES = 4;

  private final CoordinationStore store;
  private final Keyspace keys;
  private final CommitBatcher batcher;
  private final Clocks clocks;
  private final EpochKeeping keeping;

  public ForeignEpochs(
      CoordinationStore store,
      Keyspace keys,
      CommitBatcher batcher,
      Clocks clocks,
      EpochKeeping keeping) {
    this.store = store;
    this.keys = keys;
    this.batcher = batcher;
    this.clocks = clocks;
    this.keeping = keeping;
  }

  /** Whose tokens they are, with what concerns this resource filled in. */
  public sealed interface Foreign {

    record External(TokenSource.External terms) implements Foreign {}

    /**
     * An election of etcd's own.
     *
     * @param prefix of the candidates' keys, ends in {@code /}
     */
    record Election(String prefix) implements Foreign {}
  }

  private EpochSource source(Foreign of) {
    return of instanceof Foreign.Election election
        ? new ElectionSource(store, clocks, KeyRange.under(election.prefix()))
        : new ExternalSource(((Foreign.External) of).terms());
  }

  private record Call(
      ResourceName resource,
      FencingToken token,
      EpochSource source,
      boolean raises,
      long deadlineNanos) {}

  /**
   * Accepts the token and raises the resource's epoch to it.
   *
   * @param deadlineNanos monotonic
   */
  public Future<Ruling<Verified>> verifyAndRaise(
      ResourceName resource, FencingToken token, Foreign source, long deadlineNanos) {
    Call call = new Call(resource, token, source(source), true, deadlineNanos);
    return keeping.raise(kept(call), () -> look(call), () -> look(call));
  }

  /**
   * What {@link #verifyAndRaise} would say now; raises nothing and gives no permission to write.
   */
  public Future<Ruling<Verified>> verify(
      ResourceName resource, FencingToken token, Foreign source, long deadlineNanos) {
    Call call = new Call(resource, token, source(source), false, deadlineNanos);
    return keeping.judge(kept(call), () -> look(call));
  }

  private static EpochKeeping.Call kept(Call call) {
    return new EpochKeeping.Call(
        call.resource(),
        call.source().accepted(call.token()),
        higher -> Future.succeededFuture(FencingRules.stale(call.token(), higher)),
        call.deadlineNanos());
  }

  private Future<Ruling<Verified>> look(Call call) {
    ClockReading askedAt = clocks.read();
    return batcher
        .submit(
            new EpochLook(call.resource(), call.source().look(keys, call.resource())),
            call.deadlineNanos())
        .compose(commit -> commit.ruling(found -> judge(call, askedAt, found, MAX_RAISES)))
        .recover(ForeignEpochs::unavailable);
  }

  private Future<Ruling<Verified>> judge(
      Call call, ClockReading askedAt, Commit.Judged found, int raisesLeft) {
    Optional<Entry> entry = found.result().entry(VerifyTransaction.EPOCH);
    Optional<EpochRecord> record = record(found);
    Optional<Refusal> refusal = call.source().judge(call.token(), found);
    if (refusal.isPresent()) {
      return Future.succeededFuture(Ruling.refused(refusal.get()));
    }
    boolean there = record.filter(it -> it.raised().equals(call.token())).isPresent();
    if (there || !call.raises()) {
      return verified(call, askedAt, found);
    }
    return raisesLeft == 0
        ? Future.succeededFuture(
            Ruling.refused(RefusalCode.COORDINATOR_UNAVAILABLE.because("the epoch keeps changing")))
        : raise(call, entry, call.source().proof(call.token(), found), raisesLeft);
  }

  private Future<Ruling<Verified>> raise(
      Call call, Optional<Entry> epoch, List<Compare> proof, int raisesLeft) {
    ClockReading askedAt = clocks.read();
    return batcher
        .submit(
            new ForeignRaise(
                keys,
                call.resource(),
                call.source().accepted(call.token()),
                epoch,
                proof,
                call.source().look(keys, call.resource())),
            call.deadlineNanos())
        .compose(
            commit ->
                commit.ruling(
                    found ->
                        found.result().held()
                            ? verified(call, askedAt, found)
                            : judge(call, askedAt, found, raisesLeft - 1)));
  }

  static Optional<EpochRecord> record(Commit.Judged found) {
    return found
        .result()
        .entry(VerifyTransaction.EPOCH)
        .map(entry -> EpochRecord.decode(entry.value()));
  }

  private static Future<Ruling<Verified>> verified(
      Call call, ClockReading askedAt, Commit.Judged found) {
    @Nullable FencingToken confirmed =
        found.result().entry(VerifyTransaction.CONFIRMED).map(EpochRecord::raisedIn).orElse(null);
    return call.source()
        .goodUntilNanos(askedAt, found)
        .map(
            goodUntilNanos ->
                Ruling.granted(
                    new Verified(
                        new Verification(call.token(), null, goodUntilNanos), askedAt, confirmed)));
  }

  private static <T> Future<Ruling<T>> unavailable(Throwable failure) {
    return Future.succeededFuture(
        Ruling.refused(
            RefusalCode.COORDINATOR_UNAVAILABLE.because(String.valueOf(failure.getMessage()))));
  }
}

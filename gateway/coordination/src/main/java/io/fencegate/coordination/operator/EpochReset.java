/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.operator;

import io.fencegate.coordination.commit.CommitBatcher;
import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.epoch.EpochKeeping;
import io.fencegate.coordination.epoch.EpochStore;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.Generation;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Forgets a resource's epoch, so that tokens of another source can raise it anew. The one way in
 * which an epoch falls: it is an operator's word that nobody writes with the old tokens any more.
 * Used from one context.
 */
public final class EpochReset {

  private final Keyspace keys;
  private final CommitBatcher batcher;
  private final EpochKeeping keeping;

  public EpochReset(Keyspace keys, CommitBatcher batcher, EpochKeeping keeping) {
    this.keys = keys;
    this.batcher = batcher;
    this.keeping = keeping;
  }

  /**
   * Forgets the epoch, what the downstream has confirmed of it, and its source, in one transaction;
   * then in the ledger besides the coordinator, where there is one. Answers what was forgotten;
   * empty where there was nothing, also on a repeat.
   *
   * @param mayForget which records may be forgotten
   * @param deadlineNanos monotonic
   */
  public Future<Ruling<Optional<EpochRecord>>> reset(
      ResourceName resource, Predicate<EpochRecord> mayForget, long deadlineNanos) {
    return keeping
        .ledger(deadlineNanos)
        .compose(
            ruling ->
                ruling.fold(
                    ledger ->
                        ledger.isPresent()
                            ? inBoth(ledger.get(), resource, mayForget, deadlineNanos)
                            : inCoordinator(resource, mayForget, deadlineNanos),
                    EpochReset::refused));
  }

  private Future<Ruling<Optional<EpochRecord>>> inBoth(
      EpochStore ledger,
      ResourceName resource,
      Predicate<EpochRecord> mayForget,
      long deadlineNanos) {
    return ledger
        .look(resource, deadlineNanos)
        .compose(
            ruling ->
                ruling.fold(
                    kept ->
                        inBoth(
                            ledger,
                            resource,
                            kept.map(EpochStore.Kept::epoch),
                            mayForget,
                            deadlineNanos),
                    EpochReset::refused));
  }

  private Future<Ruling<Optional<EpochRecord>>> inBoth(
      EpochStore ledger,
      ResourceName resource,
      Optional<EpochRecord> kept,
      Predicate<EpochRecord> mayForget,
      long deadlineNanos) {
    return inCoordinator(resource, mayForget, deadlineNanos)
        .compose(
            ruling -> {
              if (kept.filter(mayForget).isPresent() && isOverInCoordinator(ruling)) {
                Optional<EpochRecord> before = ruling.fold(it -> it, refusal -> Optional.empty());
                return ledger
                    .forget(resource, kept.get(), deadlineNanos)
                    .map(forgot -> forgotten(forgot, before.or(() -> kept)));
              }
              return kept.filter(mayForget.negate()).isPresent() && forgotNothing(ruling)
                  ? refused(nothingToReset(kept.get()))
                  : Future.succeededFuture(ruling);
            });
  }

  /**
   * A token of a lock may have got as far as the coordinator's record, which then stays, before the
   * ledger refused it.
   */
  private static boolean isOverInCoordinator(Ruling<Optional<EpochRecord>> ruling) {
    return ruling.fold(before -> true, refusal -> refusal.code() == RefusalCode.INVALID_REQUEST);
  }

  private static boolean forgotNothing(Ruling<Optional<EpochRecord>> ruling) {
    return ruling.fold(Optional::isEmpty, refusal -> false);
  }

  private static Ruling<Optional<EpochRecord>> forgotten(
      Ruling<Boolean> inLedger, Optional<EpochRecord> before) {
    return inLedger.fold(
        gone ->
            gone
                ? Ruling.granted(before)
                : Ruling.refused(
                    halfDone(RefusalCode.IN_FLIGHT.because("its epoch has just changed"))),
        refusal -> Ruling.refused(halfDone(refusal)));
  }

  private static Refusal halfDone(Refusal refusal) {
    return refusal
        .code()
        .because(
            "the coordinator has forgotten the epoch, the ledger of epochs may not have: "
                + refusal.detail()
                + "; repeat this call")
        .inDoubt();
  }

  private Future<Ruling<Optional<EpochRecord>>> inCoordinator(
      ResourceName resource, Predicate<EpochRecord> mayForget, long deadlineNanos) {
    return batcher
        .submit(new Look(keys, resource), deadlineNanos)
        .compose(
            commit ->
                commit.ruling(
                    found -> forget(resource, found.result().entry(0), mayForget, deadlineNanos)));
  }

  private Future<Ruling<Optional<EpochRecord>>> forget(
      ResourceName resource,
      Optional<Entry> epoch,
      Predicate<EpochRecord> mayForget,
      long deadlineNanos) {
    Optional<EpochRecord> record = epoch.map(entry -> EpochRecord.decode(entry.value()));
    if (record.filter(mayForget.negate()).isPresent()) {
      return refused(nothingToReset(record.get()));
    }
    return batcher
        .submit(new Forget(keys, resource, epoch), deadlineNanos)
        .compose(
            commit ->
                commit.ruling(
                    judged ->
                        judged.result().held()
                            ? Future.succeededFuture(Ruling.granted(record))
                            : refused(
                                RefusalCode.IN_FLIGHT
                                    .because("the epoch has just changed; look before repeating it")
                                    .nothingDone())));
  }

  private static Refusal nothingToReset(EpochRecord record) {
    return RefusalCode.INVALID_REQUEST.because(
        "the epoch "
            + record.raised()
            + " is of source "
            + record.source()
            + ", as the policy has it: such tokens only rise, so there is nothing to reset");
  }

  private static <T> Future<Ruling<T>> refused(Refusal refusal) {
    return Future.succeededFuture(Ruling.refused(refusal));
  }

  private record Look(Keyspace keys, ResourceName resource) implements Transaction {
    @Override
    public boolean putsNothing() {
      return true;
    }

    @Override
    public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
      return new Member(List.of(), List.of(new Op.Get(keys.epoch(resource))), List.of());
    }
  }

  /** Bound to the session, though it only deletes: a late one would undo a raise. */
  private record Forget(Keyspace keys, ResourceName resource, Optional<Entry> epoch)
      implements Transaction {
    @Override
    public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
      long seenAt = epoch.map(Entry::modRevision).orElse(0L);
      return new Member(
          List.of(new Compare.ModifiedAt(keys.epoch(resource), seenAt)),
          List.of(
              new Op.Delete(keys.epoch(resource)),
              new Op.Delete(keys.confirmed(resource)),
              new Op.Delete(keys.epochSource(resource))),
          List.of());
    }
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries epochs on from the coordinator to the ledger besides it, where there is one.
 *
 * <p>The coordinator's own record is kept all the same and always comes first: it is raised in the
 * transaction that proves the token, which no other store can take part in. Then the ledger is
 * raised, and then the coordinator is asked again, because a holder may have been superseded
 * meanwhile. So a token is accepted only if both have it, whichever of them has lost something; and
 * a ledger that is new, or given up, leaves no gap.
 *
 * <p>Used from one context.
 */
public final class EpochKeeping {

  private static final Logger LOG = LoggerFactory.getLogger(EpochKeeping.class);

  private final Optional<EpochStore> ledger;
  private final Optional<EpochPlace> place;
  private Optional<String> trouble = Optional.empty();

  /**
   * Has compared nothing yet.
   *
   * @param prefix of the coordinator's keys
   */
  public EpochKeeping(CoordinationStore store, String prefix, EpochTerms terms) {
    this(terms.ledger(), Optional.of(new EpochPlace(store, new Keyspace(prefix), terms)));
  }

  private EpochKeeping(Optional<EpochStore> ledger, Optional<EpochPlace> place) {
    this.ledger = ledger;
    this.place = place;
  }

  /** For who has the coordinator to itself: nothing besides it, and nobody to agree with. */
  public static EpochKeeping alone() {
    return new EpochKeeping(Optional.empty(), Optional.empty());
  }

  /**
   * Compares, before this gateway has a session, where it and the others keep epochs. Fails with
   * {@link EpochsElsewhere} where that is known to differ. Where it cannot be found out, nothing is
   * raised until it can.
   *
   * @param deadlineNanos monotonic
   */
  public Future<Void> settleFirst(long deadlineNanos) {
    return place
        .map(it -> it.settleFirst(deadlineNanos))
        .orElseGet(EpochKeeping::agreed)
        .compose(
            ruling ->
                ruling.fold(
                    note -> Future.<Void>succeededFuture(),
                    refusal -> {
                      note(refusal);
                      return refusal.code() == RefusalCode.HANDOVER
                          ? Future.failedFuture(new EpochsElsewhere(refusal.detail()))
                          : Future.succeededFuture();
                    }));
  }

  /** Other gateways may have come, or the coordinator may be another by now. */
  public void forgetOthers() {
    place.ifPresent(EpochPlace::forget);
  }

  /** Whether epochs are kept besides the coordinator. */
  public boolean hasLedger() {
    return ledger.isPresent();
  }

  /** Why epochs could not be raised lately; for people. */
  public Optional<String> trouble() {
    return trouble;
  }

  /**
   * The ledger that all gateways use, empty where the coordinator alone keeps epochs; refused where
   * they do not agree, or that is not known.
   *
   * @param deadlineNanos monotonic
   */
  public Future<Ruling<Optional<EpochStore>>> ledger(long deadlineNanos) {
    return place
        .map(it -> it.agreed(deadlineNanos))
        .orElseGet(EpochKeeping::agreed)
        .map(ruling -> ruling.map(note -> ledger))
        .onSuccess(ruling -> ruling.fold(this::agreedOn, this::note));
  }

  /** What the ledger had to say last still counts. */
  private boolean agreedOn(Optional<EpochStore> found) {
    if (found.isEmpty()) {
      trouble = Optional.empty();
    }
    return true;
  }

  private static Future<Ruling<String>> agreed() {
    return Future.succeededFuture(Ruling.granted(EpochPlace.COORDINATOR));
  }

  /** Runs {@code work} with the ledger, or answers {@code none} where there is none. */
  public <T> Future<Ruling<T>> with(
      long deadlineNanos,
      Supplier<Future<Ruling<T>>> none,
      Function<EpochStore, Future<Ruling<T>>> work) {
    return ledger(deadlineNanos)
        .compose(
            ruling ->
                ruling.fold(
                    store -> store.map(it -> work.apply(it).map(this::noted)).orElseGet(none),
                    refusal -> Future.succeededFuture(Ruling.refused(refusal))));
  }

  private <T> Ruling<T> noted(Ruling<T> ruling) {
    return ruling.fold(
        value -> {
          trouble = Optional.empty();
          return ruling;
        },
        refusal -> {
          note(refusal);
          return ruling;
        });
  }

  private boolean note(Refusal refusal) {
    boolean ours =
        refusal.code() == RefusalCode.EPOCH_STORE_UNAVAILABLE
            || refusal.code() == RefusalCode.HANDOVER;
    if (ours && trouble.isEmpty()) {
      LOG.warn("epochs cannot be raised: {}", refusal.detail());
    }
    if (ours) {
      trouble = Optional.of(refusal.detail());
    }
    return ours;
  }

  /**
   * A token that the coordinator may confirm.
   *
   * @param expected what the epoch is, or is raised to
   * @param higher what it means that the ledger has a higher epoch
   */
  record Call(
      ResourceName resource,
      EpochRecord expected,
      Function<FencingToken, Future<Refusal>> higher,
      long deadlineNanos) {}

  /**
   * Raises the epoch in the coordinator, then in the ledger, then asks the coordinator again.
   *
   * @param raise asks the coordinator, which raises its own record
   * @param again asks it once more
   */
  Future<Ruling<Verified>> raise(
      Call call,
      Supplier<Future<Ruling<Verified>>> raise,
      Supplier<Future<Ruling<Verified>>> again) {
    return granted(
        ledger(call.deadlineNanos()),
        store ->
            store.isPresent()
                ? granted(raise.get(), first -> raise(call, store.get(), again))
                : raise.get());
  }

  private Future<Ruling<Verified>> raise(
      Call call, EpochStore store, Supplier<Future<Ruling<Verified>>> again) {
    return granted(
        store.raise(call.resource(), call.expected(), call.deadlineNanos()).map(this::noted),
        raise ->
            raise.fold(
                raised -> again.get().map(ruling -> ruling.map(it -> it.with(raised.confirmed()))),
                found -> higher(call, found),
                found -> otherSource(call, found)));
  }

  /** Judges without raising anything: by the coordinator, then by what the ledger has. */
  Future<Ruling<Verified>> judge(Call call, Supplier<Future<Ruling<Verified>>> ask) {
    return granted(
        ledger(call.deadlineNanos()),
        store ->
            store.isPresent()
                ? granted(ask.get(), verified -> judge(call, verified, store.get()))
                : ask.get());
  }

  private Future<Ruling<Verified>> judge(Call call, Verified verified, EpochStore store) {
    return granted(
        store.look(call.resource(), call.deadlineNanos()).map(this::noted),
        kept -> {
          Optional<EpochRecord> epoch = kept.map(EpochStore.Kept::epoch);
          if (epoch.filter(it -> !it.comparesWith(call.expected())).isPresent()) {
            return otherSource(call, epoch.get());
          }
          return epoch.filter(it -> it.raised().isAbove(call.expected().raised())).isPresent()
              ? higher(call, epoch.get())
              : Future.succeededFuture(
                  Ruling.granted(verified.with(kept.flatMap(EpochStore.Kept::confirmed))));
        });
  }

  private static Future<Ruling<Verified>> higher(Call call, EpochRecord found) {
    return call.higher().apply(found.raised()).map(Ruling::refused);
  }

  private static Future<Ruling<Verified>> otherSource(Call call, EpochRecord found) {
    return refused(ExternalRules.otherSource(found, call.expected().source()));
  }

  private static <A, B> Future<Ruling<B>> granted(
      Future<Ruling<A>> before, Function<A, Future<Ruling<B>>> next) {
    return before.compose(ruling -> ruling.fold(next, EpochKeeping::refused));
  }

  private static <T> Future<Ruling<T>> refused(Refusal refusal) {
    return Future.succeededFuture(Ruling.refused(refusal));
  }
}

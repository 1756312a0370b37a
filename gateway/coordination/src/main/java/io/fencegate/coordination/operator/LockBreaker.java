/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.operator;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.commit.CommitBatcher;
import io.fencegate.coordination.epoch.EpochKeeping;
import io.fencegate.coordination.epoch.EpochStore;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.store.Entry;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * Takes a lock from its holder and shuts the holder's token out, in one transaction; then in the
 * ledger besides the coordinator, where there is one. Used from one context.
 */
public final class LockBreaker {

  /** Each attempt fits what the last one found. */
  private static final int MAX_ATTEMPTS = 4;

  private final Keyspace keys;
  private final CommitBatcher batcher;
  private final EpochKeeping keeping;

  public LockBreaker(Keyspace keys, CommitBatcher batcher, EpochKeeping keeping) {
    this.keys = keys;
    this.batcher = batcher;
    this.keeping = keeping;
  }

  /** What is true in the coordinator, and its record of the epoch. */
  private record Done(Broken broken, Optional<EpochRecord> epoch) {}

  private record Call(
      ResourceName resource, Optional<FencingToken> only, long deadlineNanos, int attempts) {
    Call again() {
      return new Call(resource, only, deadlineNanos, attempts - 1);
    }
  }

  /**
   * Breaks the lock if it is held. Not held is no refusal: the epoch that is answered then may be
   * that of an earlier break whose answer was lost.
   *
   * @param only break only this holder; without it a repeat after doubt could hit the next one
   * @param deadlineNanos monotonic
   */
  public Future<Ruling<Broken>> breakLock(
      ResourceName resource, Optional<FencingToken> only, long deadlineNanos) {
    Call call = new Call(resource, only, deadlineNanos, MAX_ATTEMPTS);
    return batcher
        .submit(new BreakLook(keys, resource), deadlineNanos)
        .map(LockBreaker::onlyLooked)
        .compose(commit -> commit.ruling(look -> decide(call, look)))
        .compose(
            ruling ->
                ruling.fold(
                    done -> inLedger(call, done),
                    refusal -> Future.succeededFuture(Ruling.refused(refusal))));
  }

  /** Also where nothing was broken now: an earlier call may have come no further. */
  private Future<Ruling<Broken>> inLedger(Call call, Done done) {
    if (done.epoch().isEmpty()) {
      return Future.succeededFuture(Ruling.granted(done.broken()));
    }
    return keeping
        .with(
            call.deadlineNanos(),
            () -> Future.succeededFuture(Ruling.granted(done.broken())),
            ledger ->
                ledger
                    .raise(call.resource(), done.epoch().get(), call.deadlineNanos())
                    .map(ruling -> ruling.map(raise -> raised(done.broken(), raise))))
        .map(
            ruling ->
                ruling.fold(
                    Ruling::granted, refusal -> Ruling.refused(halfDone(done.broken(), refusal))));
  }

  /** A ledger of another source lets no token of a lock in, so there is nothing to shut out. */
  private static Broken raised(Broken broken, EpochStore.Raise raise) {
    return raise.fold(
        raised -> broken.confirmed(raised.confirmed()),
        higher -> broken.above(higher.raised()),
        otherSource -> broken);
  }

  private static Refusal halfDone(Broken broken, Refusal refusal) {
    return refusal
        .code()
        .because(
            broken
                    .token()
                    .map(
                        token ->
                            "the lock of token "
                                + token
                                + " is broken; repeat this call with fencingToken "
                                + token
                                + ", because ")
                    .orElse("repeat this call, because ")
                + "the ledger of epochs has not confirmed it: "
                + refusal.detail())
        .inDoubt();
  }

  private Future<Ruling<Done>> decide(Call call, Commit.Judged look) {
    Optional<Entry> lock = look.result().entry(BreakTransaction.LOCK);
    Optional<Entry> held =
        lock.filter(entry -> call.only().filter(t -> !t.equals(token(entry))).isEmpty());
    if (held.isEmpty()) {
      return Future.succeededFuture(Ruling.granted(new Done(notHeld(call, look), record(look))));
    }
    if (call.attempts() == 0) {
      return Future.succeededFuture(
          Ruling.refused(
              RefusalCode.COORDINATOR_UNAVAILABLE.because("lock and epoch keep changing")));
    }
    FencingToken token = token(held.get());
    BreakTransaction form =
        new BreakTransaction(
            keys,
            call.resource(),
            held.get(),
            new FencingToken(Math.addExact(token.value(), 1)),
            look.result().entry(BreakTransaction.EPOCH));
    return batcher
        .submit(form, call.deadlineNanos())
        .map(commit -> aimedAt(token, commit))
        .compose(commit -> commit.ruling(judged -> judged(call, form, token, judged)));
  }

  /** A look that had no answer has broken nothing. */
  private static Commit onlyLooked(Commit commit) {
    return commit instanceof Commit.InDoubt doubt
        ? new Commit.NotCommitted(RefusalCode.COORDINATOR_UNAVAILABLE.because(doubt.reason()))
        : commit;
  }

  /** Says what a repeat has to name, so that it does not hit whoever holds the lock by then. */
  private static Commit aimedAt(FencingToken token, Commit commit) {
    return commit instanceof Commit.InDoubt doubt
        ? new Commit.InDoubt(
            doubt.reason()
                + "; token "
                + token
                + " was to be shut out: repeat with fencingToken "
                + token)
        : commit;
  }

  private Future<Ruling<Done>> judged(
      Call call, BreakTransaction form, FencingToken token, Commit.Judged judged) {
    if (judged.result().held()) {
      return Future.succeededFuture(
          Ruling.granted(
              new Done(
                  new Broken(
                      Optional.of(token),
                      Optional.of(higher(form.fence(), epoch(judged))),
                      confirmed(judged)),
                  Optional.of(form.after()))));
    }
    // From here on it is about this holder, not about whoever may have come meanwhile.
    Call sameHolder =
        new Call(call.resource(), Optional.of(token), call.deadlineNanos(), call.attempts());
    return decide(sameHolder.again(), judged);
  }

  /** An epoch above the one holder's token shows that a break, or a newer holder, shut it out. */
  private static Broken notHeld(Call call, Commit.Judged look) {
    Optional<FencingToken> epoch = epoch(look);
    Optional<FencingToken> shutOut =
        call.only().filter(token -> epoch.filter(token::isBelow).isPresent());
    return new Broken(shutOut, epoch, confirmed(look));
  }

  private static FencingToken token(Entry lock) {
    return LockRecord.decode(lock.value()).token(lock);
  }

  private static Optional<FencingToken> epoch(Commit.Judged judged) {
    return record(judged).map(EpochRecord::raised);
  }

  private static Optional<EpochRecord> record(Commit.Judged judged) {
    return judged
        .result()
        .entry(BreakTransaction.EPOCH)
        .map(entry -> EpochRecord.decode(entry.value()));
  }

  private static Optional<FencingToken> confirmed(Commit.Judged judged) {
    return judged.result().entry(BreakTransaction.CONFIRMED).map(EpochRecord::raisedIn);
  }

  private static FencingToken higher(FencingToken one, Optional<FencingToken> other) {
    return other.filter(it -> it.isAbove(one)).orElse(one);
  }
}

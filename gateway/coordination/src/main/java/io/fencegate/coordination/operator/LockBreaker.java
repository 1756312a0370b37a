/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.operator;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.commit.CommitBatcher;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.store.Entry;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * Takes a lock from its holder and shuts the holder's token out, in one transaction. Used from one
 * context.
 */
public final class LockBreaker {

  /** Each attempt fits what the last one found. */
  private static final int MAX_ATTEMPTS = 4;

  private final Keyspace keys;
  private final CommitBatcher batcher;

  public LockBreaker(Keyspace keys, CommitBatcher batcher) {
    this.keys = keys;
    this.batcher = batcher;
  }

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
        .compose(commit -> commit.ruling(look -> decide(call, look)));
  }

  private Future<Ruling<Broken>> decide(Call call, Commit.Judged look) {
    Optional<Entry> lock = look.result().entry(BreakTransaction.LOCK);
    Optional<Entry> held =
        lock.filter(entry -> call.only().filter(t -> !t.equals(token(entry))).isEmpty());
    if (held.isEmpty()) {
      return Future.succeededFuture(Ruling.granted(notHeld(call, look)));
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

  private Future<Ruling<Broken>> judged(
      Call call, BreakTransaction form, FencingToken token, Commit.Judged judged) {
    if (judged.result().held()) {
      return Future.succeededFuture(
          Ruling.granted(
              new Broken(
                  Optional.of(token),
                  Optional.of(higher(form.fence(), epoch(judged))),
                  confirmed(judged))));
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
    return judged.result().entry(BreakTransaction.EPOCH).map(EpochRecord::raisedIn);
  }

  private static Optional<FencingToken> confirmed(Commit.Judged judged) {
    return judged.result().entry(BreakTransaction.CONFIRMED).map(EpochRecord::raisedIn);
  }

  private static FencingToken higher(FencingToken one, Optional<FencingToken> other) {
    return other.filter(it -> it.isAbove(one)).orElse(one);
  }
}

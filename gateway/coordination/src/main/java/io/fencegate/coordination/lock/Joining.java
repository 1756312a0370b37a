/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.key.WaitRecord;
import io.fencegate.coordination.store.Entry;
import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.function.Function;

/**
 * A call's way to the lock or into its queue: it takes a free lock at once, takes over the place of
 * an earlier call of the same request, or takes a place of its own.
 *
 * <p>A cancel on another gateway may come while an enqueue or a take-over is in doubt, and remove
 * what that had put. Sent again it finds nothing, as it would if the first sending had never
 * arrived; which of both it was cannot be told. So a repeat that finds nothing ends the call as
 * {@code lease-lost} instead of joining anew: a call that was told to be cancelled must not be
 * granted a lock that nobody frees. The price is that a request which really got lost on the wire
 * ends so too. Its caller asks again, and loses no place, for it had none yet.
 */
final class Joining {

  /** Steps that one call tries: each fits what the last one found. */
  private static final int MAX_STEPS = 8;

  private final Waiter waiter;
  private final WaitSteps answers;
  private final WaitQueue queue;
  private final Desk desk;
  private final Strays strays;
  private final Grants grants;
  private final long deadlineNanos;
  private int steps;

  Joining(Waiter waiter, WaitSteps answers, Waiter.Parts parts, long deadlineNanos) {
    this.waiter = waiter;
    this.answers = answers;
    this.queue = parts.queue();
    this.desk = parts.desk();
    this.strays = new Strays(parts.desk());
    this.grants = parts.grants();
    this.deadlineNanos = deadlineNanos;
  }

  Future<Reply> tryLock() {
    if (waiter.isCancelled()) {
      return Future.succeededFuture(Reply.of(WaitEvent.Plain.REMOVED));
    }
    if (++steps > MAX_STEPS) {
      return refused(RefusalCode.COORDINATOR_UNAVAILABLE, "lock and queue keep changing");
    }
    AcquireTransaction first =
        new AcquireTransaction(desk.keys(), waiter.award(), desk.clocks().read().wallMillis());
    return desk.batcher()
        .submit(first, deadlineNanos)
        .compose(commit -> Reply.whenJudged(commit, Reply::refused, this::tried));
  }

  private Future<Reply> tried(Commit.Judged judged) {
    if (judged.result().held()) {
      return Future.succeededFuture(
          Reply.granted(
              new Reply.Won(judged.revision(), () -> grants.granted(waiter.award(), judged))));
    }
    Optional<Entry> lock = judged.result().entry(AcquireTransaction.LOCK);
    Optional<Entry> decided = judged.result().entry(AcquireTransaction.REQUEST);
    Optional<Entry> place = judged.result().entry(AcquireTransaction.OWN_PLACE);
    if (decided.isPresent()) {
      return Future.succeededFuture(answers.decided(decided.get(), lock, judged.generation()));
    }
    if (place.isPresent()) {
      return takeOver(place.get());
    }
    Optional<Entry> stray = strays.among(judged.result().entry(AcquireTransaction.HEAD));
    if (lock.isEmpty() && stray.isPresent()) {
      return strays.remove(waiter.resource(), stray.get()).compose(gone -> tryLock());
    }
    return waiter.terms().canWait()
        ? enqueue()
        : grants
            .taken(lock)
            .map(ruling -> ruling.fold(never -> Reply.of(WaitEvent.Plain.REMOVED), Reply::refused));
  }

  private Future<Reply> enqueue() {
    if (waiter.isEnding()) {
      return Future.succeededFuture(Reply.of(WaitEvent.Plain.REMOVED));
    }
    return queue
        .admit(waiter)
        .compose(
            objection ->
                objection
                    .map(refusal -> Future.succeededFuture(Reply.refused(refusal)))
                    .orElseGet(this::put));
  }

  private Future<Reply> put() {
    return submit(
        new PlaceTransaction.Enqueue(desk.keys(), waiter.request(), waiter.attempt()),
        judged -> {
          if (judged.repeated()) {
            // What stands now was put by the repeat, so it leaves again before the call is
            // answered.
            waiter.handle(new WaitEvent.Ended(WaitEnd.CANCELLED));
          }
          return answers.placed(judged, judged.revision());
        });
  }

  private Future<Reply> takeOver(Entry place) {
    WaitRecord earlier = WaitRecord.decode(place.value());
    if (!earlier.parameters().equals(waiter.request().parameters())) {
      return Future.succeededFuture(
          Grants.reused(waiter.request())
              .fold(never -> Reply.of(WaitEvent.Plain.REMOVED), Reply::refused));
    }
    return queue
        .admitRepeat(waiter)
        .map(refusal -> Future.succeededFuture(Reply.refused(refusal)))
        .orElseGet(
            () ->
                submit(
                    new PlaceTransaction.Adopt(
                        desk.keys(),
                        waiter.request(),
                        waiter.attempt(),
                        earlier.attempt(),
                        place.createRevision()),
                    judged -> {
                      queue.superseded(waiter, earlier.attempt());
                      return answers.placed(judged, place.createRevision());
                    }));
  }

  private Future<Reply> submit(
      PlaceTransaction transaction, Function<Commit.Judged, Reply> placed) {
    return desk.batcher()
        .submit(transaction, deadlineNanos)
        .compose(
            commit ->
                Reply.whenJudged(
                    commit,
                    Reply::inDoubt,
                    judged ->
                        judged.result().held()
                            ? Future.succeededFuture(placed.apply(judged))
                            : notPlaced(judged)));
  }

  /**
   * Another place stands where this call wanted its own. After doubt that may be a later call which
   * has taken over what this one had put; that one counts. Where nothing stands after doubt, the
   * call has lost its place.
   */
  private Future<Reply> notPlaced(Commit.Judged judged) {
    Optional<Entry> decided = judged.result().entry(PlaceTransaction.REQUEST);
    Optional<Entry> place = judged.result().entry(PlaceTransaction.OWN_PLACE);
    Reply reply = answers.standing(decided, place, true);
    boolean another = reply.event() == WaitEvent.Plain.SUPERSEDED && !judged.repeated();
    boolean gone = reply.event() == WaitEvent.Plain.VANISHED && !judged.repeated();
    return another || gone ? tryLock() : Future.succeededFuture(reply);
  }

  private static Future<Reply> refused(RefusalCode code, String detail) {
    return Future.succeededFuture(Reply.refused(code.because(detail)));
  }
}

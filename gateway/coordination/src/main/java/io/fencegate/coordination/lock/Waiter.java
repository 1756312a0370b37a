/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Attempt;
import io.fencegate.coordination.key.RequestRecord;
import io.fencegate.coordination.key.WaitRecord;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.Generation;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One acquire call: carries out what {@link WaitMachine} says, and tells it what came of that. The
 * bridge from a wait's many events to the one answer.
 */
final class Waiter implements AcquireCall {

  /** How long the coordinator may take for one step of a wait. */
  static final Duration STEP_BUDGET = Duration.ofSeconds(5);

  /** An entry is moved on at a third of its life, so that two attempts may fail. */
  private static final long KEEP_MILLIS = PlaceTransaction.TTL.ttl().toMillis() / 3;

  /** The part of that by which calls differ, so that those of a busy lock do not come together. */
  private static final long JITTER_MILLIS = KEEP_MILLIS / 5;

  private static final Logger LOG = LoggerFactory.getLogger(Waiter.class);

  private final Parts parts;
  private final Call call;
  private final Key place;
  private final Promise<Ruling<Grant>> promise = Promise.promise();
  private WaitState state = WaitState.JOINING;
  private @Nullable Refusal refusal;
  private Reply.@Nullable Won won;
  private @Nullable Long endTimer;
  private @Nullable Long dueTimer;
  private long keptAtNanos;

  /** What every waiter works with. */
  record Parts(Vertx vertx, Desk desk, Grants grants, WaitQueue queue, LockChanges changes) {}

  /** What is asked for. */
  record Call(Award award, Attempt attempt, WaitTerms terms) {}

  private Waiter(Parts parts, Call call) {
    this.parts = parts;
    this.call = call;
    AcquireRequest request = call.award().request();
    this.place =
        parts.desk().keys().place(request.resource(), request.principal(), request.requestId());
  }

  /**
   * A call that starts now.
   *
   * @param deadlineNanos monotonic; by when it is known whether it has to wait
   */
  static Waiter start(Parts parts, Call call, long deadlineNanos) {
    Waiter waiter = new Waiter(parts, call);
    waiter.limitWait();
    Joining joining =
        new Joining(waiter, parts.queue(), parts.desk(), parts.grants(), deadlineNanos);
    waiter.hear(joining.tryLock());
    return waiter;
  }

  private void limitWait() {
    keptAtNanos = now();
    if (call.terms().canWait()) {
      endTimer =
          parts
              .vertx()
              .setTimer(
                  Math.max(1, call.terms().patience().toMillis()),
                  unused -> handle(new WaitEvent.Ended(WaitEnd.TIMED_OUT)));
    } else {
      handle(new WaitEvent.Ended(WaitEnd.TIMED_OUT));
    }
  }

  @Override
  public Future<Ruling<Grant>> answer() {
    return promise.future();
  }

  @Override
  public void abandon() {
    handle(new WaitEvent.Ended(WaitEnd.ABANDONED));
  }

  Award award() {
    return call.award();
  }

  AcquireRequest request() {
    return call.award().request();
  }

  ResourceName resource() {
    return request().resource();
  }

  Principal principal() {
    return request().principal();
  }

  Attempt attempt() {
    return call.attempt();
  }

  WaitTerms terms() {
    return call.terms();
  }

  /** Where its entry is, once it has one. */
  Key place() {
    return place;
  }

  /** Its place in the order of the queue. */
  long number() {
    return state.place();
  }

  boolean isInLine() {
    return state.isInLine();
  }

  boolean isEnding() {
    return state.end().isPresent();
  }

  void handle(WaitEvent event) {
    WaitStep step = WaitMachine.step(state, event);
    state = step.state();
    step.commands().forEach(this::carryOut);
    if (state.phase() == WaitState.Phase.DONE) {
      parts.queue().leave(this);
    }
  }

  private void hear(Future<Reply> coming) {
    coming
        .onSuccess(
            reply -> {
              reply.refusal().ifPresent(why -> refusal = why);
              reply.won().ifPresent(what -> won = what);
              handle(reply.event());
            })
        .onFailure(
            defect -> {
              stopTimers();
              parts.queue().leave(this);
              promise.tryFail(defect);
            });
  }

  private void carryOut(WaitCommand command) {
    switch (command) {
      case REST -> rest();
      case KEEP -> keep();
      case GRANT -> grant();
      case LEAVE -> leave();
      case GIVE_BACK -> giveBack();
      case ANSWER_GRANT, ANSWER_EARLIER -> answerWith(won().answer().get());
      case ANSWER_IN_FLIGHT ->
          refuse(
              RefusalCode.IN_FLIGHT.because(
                  "a later call with this requestId has taken the wait over"));
      case ANSWER_REFUSAL -> refuse(why());
      case ANSWER_LOST ->
          refuse(
              RefusalCode.LEASE_LOST.because(
                  "the place in the queue is gone: it was cancelled, or ran out"));
      case ANSWER_END -> refuse(ended());
    }
  }

  private void rest() {
    long dueNanos = keptAtNanos + Duration.ofMillis(KEEP_MILLIS - jitterMillis()).toNanos();
    stop(dueTimer);
    dueTimer =
        parts
            .vertx()
            .setTimer(
                Math.max(1, parts.desk().clocks().read().millisUntil(dueNanos)),
                unused -> handle(WaitEvent.Plain.DUE));
  }

  private long jitterMillis() {
    return call.attempt().number() % JITTER_MILLIS;
  }

  private void keep() {
    keptAtNanos = now();
    submit(
        new PlaceTransaction.Keep(parts.desk().keys(), request(), attempt()),
        judged ->
            judged.result().held()
                ? placed(judged, state.place())
                : standing(
                    judged.result().entry(PlaceTransaction.REQUEST),
                    judged.result().entry(PlaceTransaction.OWN_PLACE),
                    false));
  }

  private void grant() {
    submit(
        new GrantTransaction(
            parts.desk().keys(),
            award(),
            attempt(),
            state.place(),
            parts.desk().clocks().read().wallMillis()),
        this::tried);
  }

  private Reply tried(Commit.Judged judged) {
    Line line = parts.queue().line(this);
    if (judged.result().held()) {
      line.granted(judged.revision());
      return Reply.granted(
          new Reply.Won(judged.revision(), () -> parts.grants().granted(award(), judged)));
    }
    line.saw(
        judged.revision(),
        judged.result().entry(GrantTransaction.LOCK).isPresent(),
        judged.result().entry(GrantTransaction.HEAD));
    return standing(
        judged.result().entry(GrantTransaction.REQUEST),
        judged.result().entry(GrantTransaction.OWN_PLACE),
        line.mayTryAgain(place));
  }

  private void leave() {
    submit(
        new CancelTransaction(
            parts.desk().keys(), resource(), principal(), request().requestId(), attempt()),
        judged -> {
          if (judged.result().held()) {
            parts.queue().placeDeleted(resource(), place, judged.revision());
            return Reply.of(WaitEvent.Plain.REMOVED);
          }
          return standing(
              judged.result().entry(CancelTransaction.REQUEST),
              judged.result().entry(CancelTransaction.OWN_PLACE),
              false);
        });
  }

  private void giveBack() {
    submit(
        new GiveBackTransaction(
            parts.desk().keys(), resource(), award().leaseId().proof(), won().revision()),
        judged -> {
          if (judged.result().held()) {
            parts.changes().freed(resource(), judged.revision());
          }
          return Reply.of(WaitEvent.Plain.RETURNED);
        });
  }

  /** What is not judged in time is in doubt: the next step of the wait settles it. */
  private void submit(Transaction transaction, Function<Commit.Judged, Reply> judged) {
    hear(
        parts
            .desk()
            .batcher()
            .submit(transaction, parts.desk().deadlineIn(STEP_BUDGET))
            .compose(
                commit ->
                    Reply.whenJudged(
                        commit, Reply::inDoubt, it -> Future.succeededFuture(judged.apply(it))))
            .map(reply -> isUnjudged(reply) ? Reply.inDoubt(reply.refusal().orElseThrow()) : reply)
            .onSuccess(reply -> logUnjudged(transaction, reply)));
  }

  private static boolean isUnjudged(Reply reply) {
    return reply.event() == WaitEvent.Plain.REFUSED;
  }

  private void logUnjudged(Transaction transaction, Reply reply) {
    if (reply.event() == WaitEvent.Plain.IN_DOUBT) {
      LOG.warn(
          "a wait for {}: {} was not judged in time",
          resource(),
          transaction.getClass().getSimpleName());
    }
  }

  /** The entry stands as this call wants it; lock and head were read with it. */
  Reply placed(Commit.Judged judged, long number) {
    Line line = parts.queue().line(this);
    line.saw(
        judged.revision(),
        judged.result().entry(PlaceTransaction.LOCK).isPresent(),
        judged.result().entry(PlaceTransaction.HEAD));
    return Reply.of(new WaitEvent.Placed(number, line.mayTry(place)));
  }

  /** What stands in the coordinator where a compare on this call's entry failed. */
  Reply standing(Optional<Entry> decided, Optional<Entry> own, boolean myTurn) {
    if (decided.isPresent()) {
      return decided(decided.get());
    }
    if (own.isEmpty()) {
      return Reply.of(WaitEvent.Plain.VANISHED);
    }
    return WaitRecord.decode(own.get().value()).attempt().equals(attempt())
        ? Reply.of(new WaitEvent.Placed(own.get().createRevision(), myTurn))
        : Reply.of(WaitEvent.Plain.SUPERSEDED);
  }

  private Reply decided(Entry granted) {
    return decided(
        granted,
        () -> parts.grants().earlier(award(), granted, parts.desk().deadlineIn(STEP_BUDGET)));
  }

  /** The request has been granted; the lock was read with that. */
  Reply decided(Entry granted, Optional<Entry> lock, Generation generation) {
    return decided(
        granted,
        () ->
            parts
                .grants()
                .earlier(award(), granted, lock, generation, parts.desk().deadlineIn(STEP_BUDGET)));
  }

  private Reply decided(Entry granted, Supplier<Future<Ruling<Grant>>> answer) {
    Reply.Won what = new Reply.Won(granted.modRevision(), answer);
    return award().isOf(RequestRecord.decode(granted.value()))
        ? Reply.granted(what)
        : Reply.decidedElsewhere(what);
  }

  private Refusal ended() {
    return switch (state.end().orElseThrow()) {
      case TIMED_OUT ->
          terms().canWait()
              ? RefusalCode.WAIT_TIMEOUT.because(
                  "the lock was not free for this call within "
                      + terms().patience().toMillis()
                      + " ms")
              : RefusalCode.LOCK_HELD.because("the lock is not free, and this call does not wait");
      case DRAINING -> RefusalCode.DRAINING.because("this gateway is shutting down");
      case ABANDONED -> RefusalCode.LEASE_LOST.because("the caller's connection is gone");
    };
  }

  private Refusal why() {
    if (refusal == null) {
      throw new IllegalStateException("refused without a reason");
    }
    return refusal;
  }

  private Reply.Won won() {
    if (won == null) {
      throw new IllegalStateException("granted without a grant");
    }
    return won;
  }

  private void refuse(Refusal answer) {
    answerWith(Future.succeededFuture(Ruling.refused(answer)));
  }

  private void answerWith(Future<Ruling<Grant>> answer) {
    stopTimers();
    answer.recover(Desk::unavailable).onComplete(promise);
  }

  private void stopTimers() {
    stop(endTimer);
    stop(dueTimer);
  }

  private void stop(@Nullable Long timer) {
    if (timer != null) {
      parts.vertx().cancelTimer(timer);
    }
  }

  private long now() {
    return parts.desk().clocks().read().monotonicNanos();
  }
}

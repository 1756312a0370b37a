/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.key.Attempt;
import io.fencegate.coordination.store.Key;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One acquire call: carries out what {@link WaitMachine} says, and tells it what came of that. The
 * bridge from a wait's many events to the one answer.
 */
final class Waiter implements AcquireCall {

  /** An entry is moved on at a third of its life, so that two attempts may fail. */
  private static final long KEEP_MILLIS = PlaceTransaction.TTL.ttl().toMillis() / 3;

  /** The part of that by which calls differ, so that those of a busy lock do not come together. */
  private static final long JITTER_MILLIS = KEEP_MILLIS / 5;

  private final Parts parts;
  private final Call call;
  private final WaitSteps steps;
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
    this.steps = new WaitSteps(parts, call);
  }

  /**
   * A call that starts now.
   *
   * @param deadlineNanos monotonic; by when it is known whether it has to wait
   */
  static Waiter start(Parts parts, Call call, long deadlineNanos) {
    Waiter waiter = new Waiter(parts, call);
    waiter.limitWait();
    if (call.terms().canWait()) {
      parts.queue().arrives(waiter);
    }
    Joining joining = new Joining(waiter, waiter.steps, parts, deadlineNanos);
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
    return steps.place();
  }

  /** Its place in the order of the queue. */
  long number() {
    return state.place();
  }

  boolean isInLine() {
    return state.isInLine();
  }

  boolean isCancelled() {
    return state.isCancelled();
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
              Desk.<Grant>unavailable(defect)
                  .onSuccess(promise::tryComplete)
                  .onFailure(promise::tryFail);
            });
  }

  private void carryOut(WaitCommand command) {
    switch (command) {
      case REST -> rest();
      case KEEP -> {
        keptAtNanos = now();
        hear(steps.keep(state.place()));
      }
      case GRANT -> hear(steps.grant(state.place()));
      case LEAVE -> hear(steps.leave());
      case GIVE_BACK -> hear(steps.giveBack(won()));
      case ANSWER_GRANT, ANSWER_EARLIER -> answerWith(won().answer().get());
      case ANSWER_IN_FLIGHT ->
          refuse(
              RefusalCode.IN_FLIGHT.because(
                  "a later call with this requestId has taken the wait over"));
      case ANSWER_REFUSAL -> refuse(why());
      case ANSWER_LOST -> refuse(placeGone());
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

  private Refusal ended() {
    return switch (state.end().orElseThrow()) {
      case TIMED_OUT ->
          terms().canWait()
              ? RefusalCode.WAIT_TIMEOUT.because(
                  "the lock was not free for this call within "
                      + terms().patience().toMillis()
                      + " ms")
              : RefusalCode.LOCK_HELD.because("the lock is not free, and this call does not wait");
      case HISTORY_LOST ->
          RefusalCode.TOKEN_BELOW_FLOOR.because(
              "the coordinator lost history while this call waited; nothing is granted until an"
                  + " operator raises its generation");
      case DRAINING -> RefusalCode.DRAINING.because("this gateway is shutting down");
      case CANCELLED -> placeGone();
      case ABANDONED -> RefusalCode.LEASE_LOST.because("the caller's connection is gone");
    };
  }

  private static Refusal placeGone() {
    return RefusalCode.LEASE_LOST.because(
        "the place in the queue is gone: it was cancelled, or ran out");
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

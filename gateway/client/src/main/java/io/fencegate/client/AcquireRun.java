/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.client.AcquirePlan.Turn;
import io.fencegate.client.Transport.Reply;
import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.LeaseId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * One acquire from its first call to its end, on the caller's thread. Used once.
 *
 * <p>Every call carries the same request id, so each may find what an earlier one came to. Nothing
 * is assumed to have failed: where the end is unclear, the gateway is told that nobody wants the
 * lock any more, and a grant that still arrives is given back.
 *
 * <p>A grant at the end of a wait says what was left of the lease when the gateway answered, but
 * the holder counts from before it sent, which is long ago. So such a grant is asked for once more,
 * without waiting, and counted from there.
 */
final class AcquireRun {

  /** A grant that took no longer than this part of its lease to arrive is taken as it is. */
  private static final long FRESH_DIVISOR = 10;

  /** However early a gateway ends waits, it is not asked more often than this. */
  private static final long MIN_WAIT_MILLIS = 1_000;

  /** What ended the waiting for an answer. */
  private sealed interface Arrival {
    record Replied(Reply reply) implements Arrival {}

    record HandOver() implements Arrival {}

    record Stopped(Problem why) implements Arrival {}
  }

  private final AcquireRequest request;
  private final HeldLock.Surroundings with;
  private final List<CompletableFuture<Problem>> stops;
  private final AcquirePlan plan;
  private final Backoff backoff;
  private final List<CompletableFuture<Reply>> unanswered = new ArrayList<>();
  private final List<CompletableFuture<?>> farewells = new ArrayList<>();
  private Optional<HeldLock.Granted> oldGrant = Optional.empty();
  private long perCallMillis;
  private boolean doubt;

  /**
   * An acquire that has not begun.
   *
   * @param stops one of these having a value ends the acquire
   */
  AcquireRun(
      AcquireRequest request, HeldLock.Surroundings with, List<CompletableFuture<Problem>> stops) {
    this.request = request;
    this.with = with;
    this.stops = List.copyOf(stops);
    plan = AcquirePlan.of(request.options(), with.timeouts(), now());
    backoff = new Backoff(with.parts().zeroToOne());
    perCallMillis = with.timeouts().waitPerCall().toMillis();
  }

  AcquireResult run() {
    while (true) {
      ClockReading sent = now();
      Turn turn = oldGrant.isPresent() ? Turn.AT_ONCE : plan.turn(sent, perCallMillis);
      Arrival arrival = send(turn);
      if (arrival instanceof Arrival.Stopped stopped) {
        return abandoned(stopped.why());
      }
      if (!(arrival instanceof Arrival.Replied replied)) {
        continue;
      }
      Verdict verdict = Verdict.of(replied.reply());
      Optional<HeldLock.Granted> granted = granted(verdict, sent);
      if (granted.isPresent() && (turn.waitMillis() == 0 || isFresh(granted.get()))) {
        return held(granted.get());
      }
      if (granted.isPresent()) {
        oldGrant = granted;
        continue;
      }
      Problem problem = problem(verdict);
      doubt = doubt || problem.outcome() == Certainty.UNKNOWN;
      if (!mayGoOn(problem, turn, sent)) {
        return givenUp(problem);
      }
    }
  }

  /** Completes when everything that this acquire still had to tell the gateway has been told. */
  CompletableFuture<Void> farewell() {
    return CompletableFuture.allOf(farewells.toArray(CompletableFuture[]::new));
  }

  private Arrival send(Turn turn) {
    Optional<Problem> stopped = stopped();
    if (stopped.isPresent()) {
      return new Arrival.Stopped(stopped.get());
    }
    CompletableFuture<Void> handOver = new CompletableFuture<>();
    Timers.Pending timer =
        turn.isHandedOver()
            ? with.parts().timers().after(turn.handOverMillis(), () -> handOver.complete(null))
            : () -> {};
    Duration patience = with.timeouts().request().plusMillis(turn.waitMillis());
    CompletableFuture<Reply> reply = with.transport().send(acquireCall(turn), patience);
    unanswered.add(reply);
    List<CompletableFuture<?>> any = new ArrayList<>(List.of(reply, handOver));
    any.addAll(stops);
    Optional<Problem> interrupted = await(any);
    timer.cancel();
    unanswered.removeIf(CompletableFuture::isDone);
    if (reply.isDone()) {
      return new Arrival.Replied(reply.join());
    }
    return interrupted
        .or(this::stopped)
        .<Arrival>map(Arrival.Stopped::new)
        .orElseGet(Arrival.HandOver::new);
  }

  private Transport.Call acquireCall(Turn turn) {
    return new Transport.Call("/v1/locks/acquire", Map.of(), request.body(turn.waitMillis()));
  }

  private static Optional<Problem> await(List<CompletableFuture<?>> any) {
    try {
      CompletableFuture.anyOf(any.toArray(CompletableFuture[]::new)).get();
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of(Problem.interrupted(Certainty.REJECTED));
    } catch (ExecutionException e) {
      throw new IllegalStateException("a transport's future failed", e);
    }
  }

  private Optional<Problem> stopped() {
    return stops.stream()
        .filter(CompletableFuture::isDone)
        .findFirst()
        .map(CompletableFuture::join);
  }

  /** Pauses where that is due; false when this acquire has come to its end. */
  private boolean mayGoOn(Problem problem, Turn turn, ClockReading sent) {
    ClockReading now = now();
    long leftMillis =
        oldGrant.isPresent()
            ? now.millisUntil(plan.doubtEndsNanos())
            : plan.millisLeft(problem, now);
    if (leftMillis == 0) {
      return false;
    }
    long tookMillis = sent.millisUntil(now.monotonicNanos());
    if (problem.code().equals("wait-timeout")) {
      if (turn.wasCutShort(tookMillis)) {
        perCallMillis = Math.max(MIN_WAIT_MILLIS, tookMillis);
      }
      if (tookMillis >= MIN_WAIT_MILLIS) {
        backoff.reset();
        return true;
      }
    }
    return pause(Math.min(leftMillis, backoff.nextMillis(problem.retryAfterMs())));
  }

  private boolean pause(long millis) {
    try {
      // Ended early: the next sending sees why.
      boolean unused = with.parts().timers().pause(millis);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private AcquireResult held(HeldLock.Granted granted) {
    HeldLock lock = HeldLock.begin(granted, with);
    if (!lock.state().isLost()) {
      return new AcquireResult.Held(lock);
    }
    farewells.add(lock.release());
    return new AcquireResult.NotHeld(
        Problem.ofOwn(
            "lease-lost",
            "this request was granted token " + granted.token() + ", and its lease is over",
            Certainty.REJECTED,
            false));
  }

  /** Nothing more can be learnt in time. */
  private AcquireResult givenUp(Problem problem) {
    if (oldGrant.isPresent()) {
      return held(oldGrant.get());
    }
    if (doubt || !unanswered.isEmpty()) {
      return abandoned(Thread.currentThread().isInterrupted() ? interrupted() : problem);
    }
    return new AcquireResult.NotHeld(problem);
  }

  private static Problem interrupted() {
    return Problem.interrupted(Certainty.UNKNOWN);
  }

  /** Nobody waits for the answer any more. */
  private AcquireResult abandoned(Problem why) {
    boolean unclear = doubt || !unanswered.isEmpty() || oldGrant.isPresent();
    unanswered.forEach(reply -> farewells.add(reply.thenCompose(this::releaseLateGrant)));
    oldGrant.ifPresent(grant -> tell(grant.release()));
    if (unclear && request.options().waiting() == Waiting.IN_QUEUE) {
      farewells.add(cancel().thenCompose(this::releaseWhatWasGranted));
    }
    return new AcquireResult.NotHeld(unclear ? why.afterDoubt() : why);
  }

  private CompletableFuture<Reply> cancel() {
    return with.transport()
        .send(
            new Transport.Call("/v1/locks/cancel", Map.of(), request.cancelBody()),
            with.timeouts().request());
  }

  /**
   * A cancel that comes after the grant takes nothing back; asked again, the gateway repeats it.
   */
  private CompletableFuture<Boolean> releaseWhatWasGranted(Reply cancelled) {
    boolean granted =
        Verdict.of(cancelled) instanceof Verdict.Yes yes
            && "granted".equals(yes.document().text("reason"));
    return granted
        ? with.transport()
            .send(acquireCall(Turn.AT_ONCE), with.timeouts().request())
            .thenCompose(this::releaseLateGrant)
        : CompletableFuture.completedFuture(false);
  }

  private CompletableFuture<Boolean> releaseLateGrant(Reply reply) {
    return granted(Verdict.of(reply), now())
        .map(
            grant ->
                with.transport()
                    .send(grant.release(), with.timeouts().request())
                    .thenApply(answer -> true))
        .orElseGet(() -> CompletableFuture.completedFuture(false));
  }

  private void tell(Transport.Call call) {
    farewells.add(with.transport().send(call, with.timeouts().request()));
  }

  private Optional<HeldLock.Granted> granted(Verdict verdict, ClockReading sent) {
    if (!(verdict instanceof Verdict.Yes yes)) {
      return Optional.empty();
    }
    FencingToken token = Problem.token(yes.document(), "fencingToken");
    String leaseId = yes.document().text("leaseId");
    Long ttlMillis = yes.document().wholeNumber("leaseTtlMs");
    Long remainingMillis = yes.document().wholeNumber("remainingMs");
    if (token == null || leaseId == null || ttlMillis == null || remainingMillis == null) {
      return Optional.empty();
    }
    if (ttlMillis < 1 || !(LeaseId.parse(leaseId) instanceof Parsed.Valid<LeaseId> proof)) {
      return Optional.empty();
    }
    LeaseKeeper.Grant lease = new LeaseKeeper.Grant(sent, ttlMillis, remainingMillis);
    return Optional.of(new HeldLock.Granted(request.resource(), token, proof.value(), lease));
  }

  private boolean isFresh(HeldLock.Granted granted) {
    long tookMillis = granted.lease().sent().millisUntil(now().monotonicNanos());
    return tookMillis <= granted.lease().ttlMillis() / FRESH_DIVISOR;
  }

  private static Problem problem(Verdict verdict) {
    if (verdict instanceof Verdict.No no) {
      return no.problem();
    }
    return verdict instanceof Verdict.NotSent notSent
        ? Problem.notSent(notSent.reason())
        : Verdict.incomplete("fencingToken, leaseId, leaseTtlMs and remainingMs").problem();
  }

  private ClockReading now() {
    return with.parts().clocks().read();
  }
}

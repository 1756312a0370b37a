/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.lease.LeaseState;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.time.ClockReading;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends what is done under a lock's authority: looks at the authority before every sending, repeats
 * only what the gateway recognises as the same, and never turns a doubt into a no.
 */
final class FencedSender {

  /** The longest deadline that a gateway takes: a day. */
  private static final long MAX_DEADLINE_MILLIS = 86_400_000;

  /** What is sent, and how much care it needs. */
  record Errand(
      String path,
      String body,
      @Nullable String idempotencyKey,
      boolean repeatable,
      boolean bypassesLocalCheck) {}

  private final Transport transport;
  private final LeaseKeeper keeper;
  private final LeaseKeeper.Parts parts;
  private final ClientTimeouts timeouts;
  private final Map<String, String> proofHeaders;

  FencedSender(
      Transport transport,
      LeaseKeeper keeper,
      LeaseKeeper.Parts parts,
      ClientTimeouts timeouts,
      Map<String, String> proofHeaders) {
    this.transport = transport;
    this.keeper = keeper;
    this.parts = parts;
    this.timeouts = timeouts;
    this.proofHeaders = Map.copyOf(proofHeaders);
  }

  Verdict send(Errand errand) {
    long giveUpNanos = parts.clocks().read().monotonicNanos() + timeouts.repeatWrite().toNanos();
    Backoff backoff = new Backoff(parts.zeroToOne());
    boolean doubt = false;
    Verdict last = new Verdict.NotSent("nothing was tried");
    while (true) {
      long authorityMillis = keeper.remainingMillis();
      if (!errand.bypassesLocalCheck() && authorityMillis == 0) {
        return doubt ? last : new Verdict.NotSent(whyNot(keeper.look()));
      }
      Transport.Call call = call(errand, authorityMillis);
      Verdict verdict = Verdict.of(Deliveries.deliver(transport, call, timeouts.request()));
      if (verdict instanceof Verdict.Yes) {
        return verdict;
      }
      last = doubt ? inDoubt(verdict) : verdict;
      doubt = doubt || isUnknown(verdict);
      if (!errand.repeatable() || !mayRepeat(verdict) || !pause(backoff, verdict, giveUpNanos)) {
        return last;
      }
    }
  }

  private Transport.Call call(Errand errand, long authorityMillis) {
    Map<String, String> headers = new HashMap<>(proofHeaders);
    if (errand.idempotencyKey() != null) {
      headers.put("Idempotency-Key", errand.idempotencyKey());
    }
    if (!errand.bypassesLocalCheck()) {
      headers.put(
          "Fencing-Deadline-Ms", Long.toString(Math.min(authorityMillis, MAX_DEADLINE_MILLIS)));
    }
    return new Transport.Call(errand.path(), headers, errand.body());
  }

  private boolean pause(Backoff backoff, Verdict verdict, long giveUpNanos) {
    Long hint = verdict instanceof Verdict.No no ? no.problem().retryAfterMs() : null;
    long millis = backoff.nextMillis(hint);
    ClockReading now = parts.clocks().read();
    if (now.millisUntil(giveUpNanos) <= millis) {
      return false;
    }
    try {
      return parts.timers().pause(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static boolean mayRepeat(Verdict verdict) {
    return !(verdict instanceof Verdict.No no) || no.problem().retryable();
  }

  private static boolean isUnknown(Verdict verdict) {
    return verdict instanceof Verdict.No no && no.problem().outcome() == Certainty.UNKNOWN;
  }

  /** An earlier sending may still land: what the later one was told proves nothing about it. */
  private static Verdict inDoubt(Verdict verdict) {
    Problem problem =
        verdict instanceof Verdict.No no
            ? no.problem()
            : Problem.notSent(((Verdict.NotSent) verdict).reason());
    return new Verdict.No(problem.afterDoubt());
  }

  private static String whyNot(LeaseState state) {
    return state.fold(
        leading -> "the authority ends within this millisecond",
        suspect -> "the authority is in doubt: " + suspect.doubt(),
        lost -> "the authority is lost: " + lost.loss());
  }
}

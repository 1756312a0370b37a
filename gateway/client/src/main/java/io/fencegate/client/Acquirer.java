/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Takes locks. An acquire in doubt is repeated with the same request id, which finds a grant whose
 * answer was lost; it is never assumed to have failed.
 */
final class Acquirer {

  private static final String LOCK_HELD = "lock-held";

  /** What may stand in a header as it is. */
  private static final Pattern LEASE_ID = Pattern.compile("[A-Za-z0-9_-]{16,256}");

  private final HeldLock.Surroundings with;

  Acquirer(HeldLock.Surroundings with) {
    this.with = with;
  }

  AcquireResult acquire(AcquireRequest request) {
    long patienceEndsNanos =
        with.parts().clocks().read().monotonicNanos() + request.patience().toNanos();
    long doubtEndsNanos = patienceEndsNanos + with.timeouts().resolveAcquire().toNanos();
    Transport.Call call = new Transport.Call("/v1/locks/acquire", Map.of(), request.body());
    Backoff backoff = new Backoff(with.parts().zeroToOne());
    boolean doubt = false;
    while (true) {
      ClockReading sent = with.parts().clocks().read();
      Verdict verdict =
          Verdict.of(Deliveries.deliver(with.transport(), call, with.timeouts().request()));
      Optional<HeldLock.Granted> granted = granted(request, verdict, sent);
      if (granted.isPresent()) {
        return held(granted.get());
      }
      Problem problem = problem(verdict);
      doubt = doubt || problem.outcome() == Certainty.UNKNOWN;
      boolean isHeld = problem.code().equals(LOCK_HELD);
      boolean again = isHeld || problem.retryable() || problem.outcome() == Certainty.UNKNOWN;
      if (!again || !pause(backoff, problem, isHeld ? patienceEndsNanos : doubtEndsNanos)) {
        return new AcquireResult.NotHeld(doubt ? problem.afterDoubt() : problem);
      }
    }
  }

  private boolean pause(Backoff backoff, Problem problem, long endsNanos) {
    long left = with.parts().clocks().read().millisUntil(endsNanos);
    if (left == 0) {
      return false;
    }
    try {
      return with.parts()
          .timers()
          .pause(Math.min(left, backoff.nextMillis(problem.retryAfterMs())));
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
    lock.close();
    return new AcquireResult.NotHeld(
        Problem.ofOwn(
            "lease-lost",
            "this request was granted token " + granted.token() + ", and its lease is over",
            Certainty.REJECTED,
            false));
  }

  private static Optional<HeldLock.Granted> granted(
      AcquireRequest request, Verdict verdict, ClockReading sent) {
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
    if (!LEASE_ID.matcher(leaseId).matches() || ttlMillis < 1) {
      return Optional.empty();
    }
    LeaseKeeper.Grant lease = new LeaseKeeper.Grant(sent, ttlMillis, remainingMillis);
    return Optional.of(new HeldLock.Granted(request.resource(), token, leaseId, lease));
  }

  private static Problem problem(Verdict verdict) {
    if (verdict instanceof Verdict.No no) {
      return no.problem();
    }
    return verdict instanceof Verdict.NotSent notSent
        ? Problem.notSent(notSent.reason())
        : Verdict.incomplete("fencingToken, leaseId, leaseTtlMs and remainingMs").problem();
  }
}

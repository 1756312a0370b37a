/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.time.ClockReading;

/**
 * How long an acquire goes on and how it cuts its waiting into calls. Pure.
 *
 * <p>A wait that is longer than one call may last is <em>handed over</em>: a little before the
 * gateway would answer {@code wait-timeout} the same request is sent again, takes over the place in
 * the queue, and the older call is answered {@code in-flight}. Waiting for the timeout would give
 * the place away.
 *
 * @param patienceEndsNanos monotonic; so long a lock is waited for that somebody else holds
 * @param doubtEndsNanos monotonic; so long an answer is asked for where there was none
 */
record AcquirePlan(Waiting waiting, long patienceEndsNanos, long doubtEndsNanos) {

  /** A call is handed over when this part of its wait is left ... */
  private static final long HANDOVER_DIVISOR = 8;

  /** ... but never less than a slow connection to a busy gateway takes ... */
  private static final long MIN_HANDOVER_MILLIS = 2_000;

  /** ... unless the call is so short that it would hardly wait. */
  private static final long MAX_HANDOVER_DIVISOR = 2;

  private static final long NEVER = Long.MAX_VALUE;

  static AcquirePlan of(AcquireOptions options, ClientTimeouts timeouts, ClockReading start) {
    long patienceEndsNanos = start.monotonicNanos() + options.patience().toNanos();
    return new AcquirePlan(
        options.waiting(),
        patienceEndsNanos,
        patienceEndsNanos + timeouts.resolveAcquire().toNanos());
  }

  /**
   * One call.
   *
   * @param waitMillis what is asked of the gateway; 0: an answer at once
   * @param handOverMillis after how long the next call takes over
   */
  record Turn(long waitMillis, long handOverMillis) {

    /** A call that is answered at once. */
    static final Turn AT_ONCE = new Turn(0, NEVER);

    boolean isHandedOver() {
      return handOverMillis != NEVER;
    }

    /** Whether a {@code wait-timeout} after this time says that the gateway allows no more. */
    boolean wasCutShort(long tookMillis) {
      return tookMillis < waitMillis - waitMillis / HANDOVER_DIVISOR;
    }
  }

  /** The next call, with no longer a wait than {@code perCallMillis}. */
  Turn turn(ClockReading now, long perCallMillis) {
    long leftMillis = now.millisUntil(patienceEndsNanos);
    if (waiting == Waiting.ASKING_AGAIN || leftMillis == 0) {
      return Turn.AT_ONCE;
    }
    return leftMillis <= perCallMillis
        ? new Turn(leftMillis, NEVER)
        : new Turn(perCallMillis, perCallMillis - handOverMillis(perCallMillis));
  }

  private static long handOverMillis(long perCallMillis) {
    long enough = Math.max(MIN_HANDOVER_MILLIS, perCallMillis / HANDOVER_DIVISOR);
    return Math.min(enough, perCallMillis / MAX_HANDOVER_DIVISOR);
  }

  /** How many milliseconds there are for another call after this problem; 0: none is made. */
  long millisLeft(Problem problem, ClockReading now) {
    return switch (problem.code()) {
      case "lock-held", "wait-timeout", "too-many-waiters" -> now.millisUntil(patienceEndsNanos);
      case "lease-lost" -> waiting == Waiting.IN_QUEUE ? now.millisUntil(patienceEndsNanos) : 0;
      default ->
          problem.retryable() || problem.outcome() == Certainty.UNKNOWN
              ? now.millisUntil(doubtEndsNanos)
              : 0;
    };
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.core.Future;
import io.vertx.core.Promise;

/**
 * A transaction on its way to an answer: the bridge from transactions to futures. Answered once;
 * later answers are dropped.
 */
final class Pending {

  /** What is known of its sendings so far. */
  private enum Sent {
    /** Nothing of it can be committed. */
    NOTHING,
    /** A sending is under way. */
    UNDER_WAY,
    /** A sending had no answer; it may have been committed. */
    IN_DOUBT
  }

  private final Transaction transaction;
  private final long arrival;
  private final long urgencyNanos;
  private final Promise<Commit> promise = Promise.promise();
  private Sent sent = Sent.NOTHING;

  /**
   * One that waits.
   *
   * @param arrival position among all, for what nothing else puts in order
   */
  Pending(Transaction transaction, long arrival) {
    this.transaction = transaction;
    this.arrival = arrival;
    this.urgencyNanos = transaction.expiresNanos().orElse(0);
  }

  Transaction transaction() {
    return transaction;
  }

  Future<Commit> answer() {
    return promise.future();
  }

  boolean isAnswered() {
    return promise.future().isComplete();
  }

  boolean isRenewal() {
    return transaction.expiresNanos().isPresent();
  }

  /** Whether it renews something that runs out before then (monotonic). */
  boolean isRenewalBefore(long nanos) {
    return isRenewal() && urgencyNanos - nanos < 0;
  }

  /** Renewals: what runs out first is first; monotonic times differ by less than 292 years. */
  static int byExpiry(Pending one, Pending other) {
    int byTime = Long.signum(one.urgencyNanos - other.urgencyNanos);
    return byTime != 0 ? byTime : Long.compare(one.arrival, other.arrival);
  }

  /** A sending leaves now. */
  void leaves() {
    if (sent == Sent.NOTHING) {
      sent = Sent.UNDER_WAY;
    }
  }

  /** The sending that was under way has not been committed and never will be. */
  void cameBack() {
    if (sent == Sent.UNDER_WAY) {
      sent = Sent.NOTHING;
    }
  }

  /** The sending that was under way has no answer. */
  void doubt() {
    sent = Sent.IN_DOUBT;
  }

  boolean mayHaveLeft() {
    return sent != Sent.NOTHING;
  }

  /** Whether an earlier sending of it was in doubt. */
  boolean wasDoubted() {
    return sent == Sent.IN_DOUBT;
  }

  void judged(Commit.Judged judged) {
    promise.tryComplete(judged);
  }

  /** It may not be sent (any more). */
  void refuse(Refusal refusal) {
    promise.tryComplete(
        sent == Sent.NOTHING
            ? new Commit.NotCommitted(refusal)
            : new Commit.InDoubt(refusal.detail()));
  }

  /** Nothing more will be sent; what was sent decides what can be said. */
  void giveUp(String reason) {
    refuse(RefusalCode.COORDINATOR_UNAVAILABLE.because(reason));
  }
}

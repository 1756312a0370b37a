/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.key.Attempt;
import io.fencegate.coordination.key.WaitRecord;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.RequestId;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * Ends waits by the name of their request, whichever gateways they came through.
 *
 * <p>Removing the entry does not suffice: a call whose enqueue is in doubt would put it once more.
 * Such a call through this gateway is told; one through another finds out by itself (see {@link
 * Joining}).
 */
record Cancels(Desk desk, WaitQueue queue) {

  /** Attempts that one cancel tries: each is the one that the last try found. */
  private static final int MAX_ATTEMPTS = 8;

  Future<Ruling<Cancellation>> cancel(
      ResourceName resource, Principal principal, RequestId requestId, long deadlineNanos) {
    // No entry is of the attempt NONE, so the first try finds out whose attempt it is.
    CancelTransaction look =
        new CancelTransaction(desk.keys(), resource, principal, requestId, Attempt.NONE);
    return cancel(look, deadlineNanos, MAX_ATTEMPTS);
  }

  private Future<Ruling<Cancellation>> cancel(
      CancelTransaction transaction, long deadlineNanos, int attemptsLeft) {
    return desk.submit(
        transaction,
        deadlineNanos,
        judged -> cancelled(transaction, judged, deadlineNanos, attemptsLeft));
  }

  private Future<Ruling<Cancellation>> cancelled(
      CancelTransaction transaction, Commit.Judged judged, long deadlineNanos, int attemptsLeft) {
    if (judged.result().held()) {
      return ended(transaction, Cancellation.CANCELLED, judged.revision());
    }
    Optional<Entry> place = judged.result().entry(CancelTransaction.OWN_PLACE);
    if (judged.result().entry(CancelTransaction.REQUEST).isPresent()) {
      return found(Cancellation.GRANTED);
    }
    if (place.isEmpty()) {
      boolean deletedBefore = judged.repeated() && !transaction.attempt().equals(Attempt.NONE);
      return ended(
          transaction,
          deletedBefore ? Cancellation.CANCELLED : Cancellation.NOT_WAITING,
          judged.revision());
    }
    if (attemptsLeft == 1) {
      return Future.succeededFuture(
          Ruling.refused(
              RefusalCode.COORDINATOR_UNAVAILABLE.because("the wait keeps being taken over")));
    }
    return cancel(
        new CancelTransaction(
            transaction.keys(),
            transaction.resource(),
            transaction.principal(),
            transaction.requestId(),
            WaitRecord.decode(place.get().value()).attempt()),
        deadlineNanos,
        attemptsLeft - 1);
  }

  /** No entry of the request was left at that revision. */
  private Future<Ruling<Cancellation>> ended(
      CancelTransaction cancelled, Cancellation cancellation, long revision) {
    Key place =
        desk.keys().place(cancelled.resource(), cancelled.principal(), cancelled.requestId());
    queue.cancelled(cancelled.resource(), place);
    queue.placeDeleted(cancelled.resource(), place, revision);
    return found(cancellation);
  }

  private static Future<Ruling<Cancellation>> found(Cancellation cancellation) {
    return Future.succeededFuture(Ruling.granted(cancellation));
  }
}

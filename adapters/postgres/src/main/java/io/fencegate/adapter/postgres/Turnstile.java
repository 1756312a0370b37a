/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Lets a bounded number in at once and a bounded number wait, each for a bounded time. The bridge
 * between those who wait and those who leave, hence its promises. One context, no locks.
 */
final class Turnstile {

  /**
   * Those who may wait: beyond it a newcomer would wait for longer than a write's usual deadline
   * anyway.
   */
  static final int MAX_WAITING = 1_000;

  private static final Refusal FULL =
      RefusalCode.DOWNSTREAM_BUSY.because(
          "more than " + MAX_WAITING + " writes wait for a connection; nothing was sent");
  private static final Refusal TOO_LONG =
      RefusalCode.DOWNSTREAM_BUSY.because(
          "no connection to the database became free in time; nothing was sent");
  private static final Refusal CLOSED =
      RefusalCode.DRAINING.because("the adapter is closed; nothing was sent");

  private final Vertx vertx;
  private final int capacity;
  private final Deque<Promise<Void>> waiting = new ArrayDeque<>();
  private final Promise<Void> empty = Promise.promise();
  private int inside;
  private boolean closed;

  Turnstile(Vertx vertx, int capacity) {
    this.vertx = vertx;
    this.capacity = capacity;
  }

  /**
   * Completes once inside; fails with {@link PgFailures.Refused}.
   *
   * @param urgent before everybody else who waits
   */
  Future<Void> enter(long longestMillis, boolean urgent) {
    if (closed) {
      return refused(CLOSED);
    }
    if (inside < capacity) {
      inside++;
      return Future.succeededFuture();
    }
    if (waiting.size() >= MAX_WAITING) {
      return refused(FULL);
    }
    Promise<Void> turn = Promise.promise();
    if (urgent) {
      waiting.addFirst(turn);
    } else {
      waiting.addLast(turn);
    }
    long timer = vertx.setTimer(Math.max(1, longestMillis), due -> giveUp(turn));
    return turn.future().onComplete(decided -> vertx.cancelTimer(timer));
  }

  private void giveUp(Promise<Void> turn) {
    if (waiting.remove(turn)) {
      turn.fail(new PgFailures.Refused(TOO_LONG));
    }
  }

  /** The one who leaves hands the place to the next. */
  void leave() {
    Promise<Void> next = waiting.poll();
    if (next != null) {
      next.complete();
      return;
    }
    inside--;
    if (closed && inside == 0) {
      empty.tryComplete();
    }
  }

  boolean isUnused() {
    return inside == 0 && waiting.isEmpty();
  }

  /** Lets nobody in any more; completes when everybody has left. Idempotent. */
  Future<Void> close() {
    closed = true;
    while (!waiting.isEmpty()) {
      waiting.remove().fail(new PgFailures.Refused(CLOSED));
    }
    if (inside == 0) {
      empty.tryComplete();
    }
    return empty.future();
  }

  private static Future<Void> refused(Refusal refusal) {
    return Future.failedFuture(new PgFailures.Refused(refusal));
  }
}

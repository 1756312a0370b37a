/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;

/** Wakes whoever waits for something to change. Used from one context. */
final class ChangeSignal {

  private final Vertx vertx;
  private Promise<Void> upcoming = Promise.promise();

  ChangeSignal(Vertx vertx) {
    this.vertx = vertx;
  }

  void happened() {
    Promise<Void> past = upcoming;
    upcoming = Promise.promise();
    past.complete();
  }

  /** Completes at the next change, or when so much time is over. */
  Future<Void> next(long millis) {
    Promise<Void> over = Promise.promise();
    long due = vertx.setTimer(Math.max(1, millis), unused -> over.tryComplete());
    upcoming.future().onComplete(unused -> over.tryComplete());
    return over.future().onComplete(unused -> vertx.cancelTimer(due));
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Wakes whoever waits for something to change. Used from one context. */
final class ChangeSignal {

  private final Vertx vertx;
  private final Set<Promise<Void>> waiting = new HashSet<>();

  ChangeSignal(Vertx vertx) {
    this.vertx = vertx;
  }

  void happened() {
    List.copyOf(waiting).forEach(Promise::tryComplete);
  }

  /** Completes at the next change, or when so much time is over. */
  Future<Void> next(long millis) {
    Promise<Void> over = Promise.promise();
    waiting.add(over);
    long due = vertx.setTimer(Math.max(1, millis), unused -> over.tryComplete());
    return over.future()
        .onComplete(
            unused -> {
              waiting.remove(over);
              vertx.cancelTimer(due);
            });
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * What has been asked for and not answered: closing waits for it, so that a write in doubt still
 * gets its connection to be settled on. One context, no locks.
 */
final class UnderWay {

  private static final Refusal CLOSED =
      RefusalCode.DRAINING.because("the adapter is closed; nothing was sent");

  private final Set<Future<?>> all = new HashSet<>();
  private boolean closed;

  /** Why nothing may start any more; empty while it may. */
  Optional<Refusal> objection() {
    return closed ? Optional.of(CLOSED) : Optional.empty();
  }

  <T> Future<T> track(Future<T> started) {
    if (!started.isComplete()) {
      all.add(started);
      started.onComplete(done -> all.remove(started));
    }
    return started;
  }

  /** Completes when everything has been answered, whatever the answer. Idempotent. */
  Future<Void> close() {
    closed = true;
    return Future.join(new ArrayList<>(all)).transform(ended -> Future.succeededFuture());
  }
}

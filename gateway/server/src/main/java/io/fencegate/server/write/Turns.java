/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.clock.InTime;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;

/**
 * When a write's turn comes, where the downstream cannot refuse stale ones itself: once every older
 * one of its resource is settled. The bridge from the barrier's callback to a future. Used from one
 * context.
 */
public final class Turns {

  private final Vertx vertx;
  private final DrainBarrier barrier;
  private final Clocks clocks;

  public Turns(Vertx vertx, DrainBarrier barrier, Clocks clocks) {
    this.vertx = vertx;
    this.barrier = barrier;
    this.clocks = clocks;
  }

  /**
   * Granted once no write with an older token is under way or may still land; refused where that is
   * not so by the deadline, or can not become so by waiting.
   */
  public Future<Ruling<Permit>> await(Permit permit, long deadlineNanos) {
    Promise<Void> left = Promise.promise();
    barrier.whenOlderLeft(permit, left::tryComplete);
    if (left.future().isComplete()) {
      return Future.succeededFuture(settled(permit));
    }
    long millis = clocks.read().millisUntil(deadlineNanos);
    return InTime.of(vertx, left.future(), Duration.ofMillis(Math.max(1, millis)))
        .transform(
            end ->
                Future.succeededFuture(
                    end.succeeded() ? settled(permit) : Ruling.refused(stillUnderWay())));
  }

  private Ruling<Permit> settled(Permit permit) {
    ClockReading now = clocks.read();
    Optional<Refusal> unresolved = barrier.unresolvedBefore(permit, now);
    return unresolved.map(Ruling::<Permit>refused).orElseGet(() -> Ruling.granted(permit));
  }

  private static Refusal stillUnderWay() {
    return RefusalCode.PREDECESSOR_UNRESOLVED.because(
        "a write with an older token is still under way; nothing of this one was sent");
  }
}

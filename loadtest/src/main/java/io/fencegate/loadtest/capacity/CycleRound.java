/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import io.fencegate.loadtest.measure.MeasurementFailure;
import io.vertx.core.Context;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Takes and releases locks as fast as it goes, so many at once, for a while: a closed model. */
final class CycleRound {

  private static final long GRACE_SECONDS = 30;
  private static final double NANOS_PER_SECOND = 1e9;

  private final Context context;
  private final Cycles cycles;
  private final long endNanos;
  private final long startNanos = System.nanoTime();
  private final CompletableFuture<Double> done = new CompletableFuture<>();
  private long begun;
  private long completed;
  private int active;

  private CycleRound(Context context, Cycles cycles, Duration length) {
    this.context = context;
    this.cycles = cycles;
    this.endNanos = startNanos + length.toNanos();
  }

  /**
   * Cycles per second. Blocks; fails with {@link MeasurementFailure} where a cycle failed.
   *
   * @param atOnce how many cycles are under way all the time
   */
  static double perSecond(Context context, Cycles cycles, int atOnce, Duration length) {
    CycleRound round = new CycleRound(context, cycles, length);
    context.runOnContext(
        unused -> {
          round.active = atOnce;
          for (int i = 0; i < atOnce; i++) {
            round.next();
          }
        });
    try {
      return round.done.get(length.toSeconds() + GRACE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MeasurementFailure("interrupted", e);
    } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
      throw new MeasurementFailure("a round of " + cycles.name() + " failed: " + e, e);
    }
  }

  private void next() {
    if (System.nanoTime() - endNanos >= 0) {
      active--;
      if (active == 0) {
        done.complete(completed * NANOS_PER_SECOND / (System.nanoTime() - startNanos));
      }
      return;
    }
    cycles
        .cycle(begun++)
        .onComplete(
            result -> {
              if (result.failed()) {
                done.completeExceptionally(result.cause());
                return;
              }
              completed++;
              // From the context's queue: a chain of cycles that are done at once must not nest.
              context.runOnContext(unused -> next());
            });
  }
}

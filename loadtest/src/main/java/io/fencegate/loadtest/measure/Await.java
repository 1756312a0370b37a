/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.measure;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for a process to be ready. */
public final class Await {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long POLL_MILLIS = 50;

  private Await() {}

  /**
   * Blocks until it is ready; {@link MeasurementFailure} when it ends or takes too long.
   *
   * @param what for people: what does not become ready
   */
  public static void ready(MeasuredProcess process, String what, BooleanSupplier isReady) {
    long startNanos = System.nanoTime();
    while (!isReady.getAsBoolean()) {
      if (System.nanoTime() - startNanos > PATIENCE.toNanos() || !process.process().isAlive()) {
        throw process.failed(what + " does not become ready");
      }
      Pauses.millis(POLL_MILLIS);
    }
  }
}

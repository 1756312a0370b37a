/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.vertx.core.Future;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/** Lets a thread of the command line wait for the gateway's. Never call it on an event loop. */
final class Waiting {

  private Waiting() {}

  /** How a future ended: one of the two is present, unless the waiting was interrupted. */
  record Ended<T>(@Nullable T value, @Nullable Throwable cause) {}

  static <T> Ended<T> forEnd(Future<T> future) {
    BlockingQueue<Ended<T>> end = new ArrayBlockingQueue<>(1);
    future.onComplete(result -> end.add(new Ended<>(result.result(), result.cause())));
    try {
      return end.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Ended<>(null, e);
    }
  }
}

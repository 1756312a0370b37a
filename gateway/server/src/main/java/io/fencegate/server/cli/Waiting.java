/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Lets a thread of the command line wait for the gateway's. Never call it on an event loop. */
final class Waiting {

  private Waiting() {}

  /** How a future ended: exactly one of the two is present. */
  record Ended<T>(@Nullable T value, @Nullable Throwable cause) {}

  /** How a future ended that has no value. */
  static Optional<Throwable> failureOf(Future<Void> future, Duration atMost) {
    return Optional.ofNullable(Waiting.<Boolean>forEnd(future.map(true), atMost).cause());
  }

  /** Waits for a future's end; one that takes longer has failed. */
  static <T> Ended<T> forEnd(Future<T> future, Duration atMost) {
    BlockingQueue<Ended<T>> end = new ArrayBlockingQueue<>(1);
    future.onComplete(result -> end.add(new Ended<>(result.result(), result.cause())));
    try {
      Ended<T> ended = end.poll(atMost.toMillis(), TimeUnit.MILLISECONDS);
      return ended == null
          ? new Ended<>(null, new TimeoutException("not done after " + atMost))
          : ended;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Ended<>(null, e);
    }
  }
}

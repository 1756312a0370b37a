/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.clock;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * Bounds how long somebody waits. A future's own timeout would run on a thread of its own where the
 * future belongs to no context; this one ends in a turn of the caller's context or where the future
 * completes.
 */
public final class InTime {

  private InTime() {}

  /**
   * The future's end, or {@link TimeoutException} where it takes longer; a later end is dropped.
   */
  public static <T> Future<T> of(Vertx vertx, Future<T> future, Duration longest) {
    Promise<T> promise = Promise.promise();
    long timer =
        vertx.setTimer(
            longest.toMillis(),
            unused -> promise.tryFail(new TimeoutException("not done within " + longest)));
    future.onComplete(
        end -> {
          vertx.cancelTimer(timer);
          pass(end, promise);
        });
    return promise.future();
  }

  private static <T> void pass(AsyncResult<T> end, Promise<T> promise) {
    if (end.succeeded()) {
      promise.tryComplete(end.result());
    } else {
      promise.tryFail(end.cause());
    }
  }
}

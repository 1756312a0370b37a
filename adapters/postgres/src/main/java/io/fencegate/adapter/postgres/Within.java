/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.vertx.core.Future;
import java.util.concurrent.TimeUnit;

/** A bound on a future. */
final class Within {

  private Within() {}

  /** Fails with a {@code TimeoutException} when the future does not complete in time. */
  static <T> Future<T> millis(Future<T> future, long longestMillis) {
    return future.isComplete()
        ? future
        : future.timeout(Math.max(1, longestMillis), TimeUnit.MILLISECONDS);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import io.fencegate.coordination.store.StoreException;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * How long the coordinator may take for one batch before it counts as in doubt. Longer than
 * electing a new leader takes, and short enough for doubt to be settled and transactions to be sent
 * again within their callers' patience: what was on its way through a leader that died may never be
 * answered.
 */
final class Patience {

  static final Duration LONGEST = Duration.ofSeconds(2);

  private Patience() {}

  /** The answer, or {@code INDEFINITE} where it takes too long; a late one is dropped. */
  static <T> Future<T> with(Future<T> answer) {
    return answer
        .timeout(LONGEST.toMillis(), TimeUnit.MILLISECONDS)
        .recover(
            failure ->
                Future.failedFuture(
                    failure instanceof TimeoutException
                        ? new StoreException(
                            StoreException.Kind.INDEFINITE,
                            "no answer within " + LONGEST.toSeconds() + " s")
                        : failure));
  }
}

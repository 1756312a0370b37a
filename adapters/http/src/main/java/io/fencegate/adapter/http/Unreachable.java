/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.core.http.ConnectionPoolTooBusyException;

/** Why there was no connection; nothing was sent then. */
final class Unreachable {

  /** A hint: a place in the queue for connections is free again soon. */
  private static final long RETRY_AFTER_MILLIS = 100;

  private Unreachable() {}

  static Refusal because(Throwable cause, HttpSettings settings) {
    return cause instanceof ConnectionPoolTooBusyException
        ? RefusalCode.DOWNSTREAM_BUSY
            .because(
                settings.poolQueue()
                    + " requests are waiting for one of "
                    + settings.poolSize()
                    + " connections already")
            .retryAfter(RETRY_AFTER_MILLIS)
        : RefusalCode.UPSTREAM_UNREACHABLE.because(
            "no connection to "
                + settings.host()
                + ":"
                + settings.port()
                + " within "
                + settings.connectTimeout().toMillis()
                + " ms");
  }
}

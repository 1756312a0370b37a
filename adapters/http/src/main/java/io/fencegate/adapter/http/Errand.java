/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.fencegate.adapter.spi.ProxiedRequest;
import io.vertx.core.MultiMap;

/**
 * What one exchange is for.
 *
 * @param headers that pass, with the gateway's own
 * @param deadlineNanos monotonic
 */
record Errand(ProxiedRequest request, MultiMap headers, Kind kind, long deadlineNanos) {

  /** What a request is for. */
  enum Kind {
    READ,
    WRITE,
    /** A write that names the version it replaces: 412 says that there is another one. */
    WRITE_OF_VERSION
  }

  /** Whether its outcome matters to more than its caller: then it goes on when that has gone. */
  boolean write() {
    return kind != Kind.READ;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import java.time.Duration;

/**
 * How long the SDK waits.
 *
 * @param connect for a connection
 * @param request for one request's whole answer
 * @param resolveAcquire in all, beyond a request's patience, for an acquire in doubt
 * @param repeatWrite in all for a write with an Idempotency-Key in doubt
 */
record ClientTimeouts(
    Duration connect, Duration request, Duration resolveAcquire, Duration repeatWrite) {

  /** Long enough for a coordinator's own election, short enough to keep most leases meanwhile. */
  static final ClientTimeouts DEFAULTS =
      new ClientTimeouts(
          Duration.ofSeconds(3),
          Duration.ofSeconds(10),
          Duration.ofSeconds(20),
          Duration.ofSeconds(20));
}

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
 * @param waitPerCall in the gateway's queue at most, in one call
 */
record ClientTimeouts(
    Duration connect,
    Duration request,
    Duration resolveAcquire,
    Duration repeatWrite,
    Duration waitPerCall) {

  /** Many load balancers cut a connection that is silent for a minute; gateways allow 50 s. */
  private static final Duration MAX_WAIT_PER_CALL = Duration.ofSeconds(45);

  /** Long enough for a coordinator's own election, short enough to keep most leases meanwhile. */
  static final ClientTimeouts DEFAULTS =
      new ClientTimeouts(
          Duration.ofSeconds(3),
          Duration.ofSeconds(10),
          Duration.ofSeconds(20),
          Duration.ofSeconds(20),
          MAX_WAIT_PER_CALL);

  ClientTimeouts withConnect(Duration timeout) {
    return new ClientTimeouts(timeout, request, resolveAcquire, repeatWrite, waitPerCall);
  }

  ClientTimeouts withRequest(Duration timeout) {
    return new ClientTimeouts(connect, timeout, resolveAcquire, repeatWrite, waitPerCall);
  }

  ClientTimeouts withResolveAcquire(Duration timeout) {
    return new ClientTimeouts(connect, request, timeout, repeatWrite, waitPerCall);
  }

  ClientTimeouts withRepeatWrite(Duration timeout) {
    return new ClientTimeouts(connect, request, resolveAcquire, timeout, waitPerCall);
  }

  ClientTimeouts withWaitPerCall(Duration timeout) {
    return new ClientTimeouts(connect, request, resolveAcquire, repeatWrite, timeout);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.fence.Permit;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;

/**
 * A downstream that takes requests as they come. What {@link ResourceAdapter} says of futures and
 * contexts holds here too.
 */
public interface ProxyAdapter extends ResourceAdapter {

  /** The longest time that one forward may take, the caller's upload included. */
  Duration longestForward();

  /**
   * Forwards one write, at most once, and streams the answer to its caller.
   *
   * @param name of the write, {@code session.number}: the gateway's session and a number, in
   *     characters of a URI's path; no other write ever has it
   * @param deadlineNanos monotonic; the connection is destroyed then, or when the adapter's own
   *     time for one request is up, or at the time that the last look names
   * @param lastLook asked once, when a connection is there and before the first byte leaves; where
   *     it names no time, the outcome is {@link ForwardOutcome.Withheld}
   */
  Future<ForwardOutcome> forward(
      Permit permit, ProxiedRequest request, String name, long deadlineNanos, LastLook lastLook);

  /**
   * Whether every write carries its name to the downstream and {@link #reconcile} can ask about it
   * there by that name, or about all writes of a session that has ended by the session alone.
   */
  default boolean namesWrites() {
    return false;
  }

  /**
   * How writes have to be prepared before their token is confirmed; empty where they need not be.
   * Where they do, {@link #forward} is not called.
   */
  default Optional<ForwardPreparation> preparation() {
    return Optional.empty();
  }

  /** Passes on a request that only reads; its outcome concerns nobody but its caller. */
  Future<ForwardOutcome> read(ProxiedRequest request, long deadlineNanos);
}

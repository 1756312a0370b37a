/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.Future;

/**
 * How writes are bound to the state that a downstream is in: it refuses one that was prepared for
 * another state than it finds. That shuts stale writes out, whoever is paused, because of the order
 * in which the gateway does three things: it looks at the state, <em>then</em> has the token
 * confirmed, then sends. A write with an older token was confirmed before a newer one was accepted,
 * so it is bound to a state that was there before the newer token's first write, and no state ever
 * comes back.
 */
public interface ForwardPreparation {

  /**
   * Looks at the state that a write is to be bound to; changes nothing. What is granted has to be
   * {@link PreparedForward#release released}: until then other writes to the same place wait,
   * because each of them changes the state.
   *
   * @param deadlineNanos monotonic; refused by then
   */
  Future<Ruling<PreparedForward>> prepare(ProxiedRequest request, long deadlineNanos);
}

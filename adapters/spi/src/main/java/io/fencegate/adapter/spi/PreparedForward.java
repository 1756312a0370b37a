/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.fence.Permit;
import io.vertx.core.Future;

/** A write that is bound to a state of its downstream, see {@link ForwardPreparation}. */
public interface PreparedForward {

  /**
   * As {@link ProxyAdapter#forward}. Where the downstream is in another state by then, nothing is
   * changed and the outcome is {@link ForwardOutcome.Overtaken}.
   *
   * @param permit from a decision that rests on nothing that was asked before this was prepared
   */
  Future<ForwardOutcome> forward(
      Permit permit, ProxiedRequest request, long deadlineNanos, LastLook lastLook);

  /** Lets the next write be prepared. Idempotent. */
  void release();
}

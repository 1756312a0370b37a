/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.Future;

/** An acquire under way. Used from the service's context. */
public interface AcquireCall {

  /** The answer; fails only on defects. Without a wait it is there by the call's deadline. */
  Future<Ruling<Grant>> answer();

  /**
   * Nobody is there to be answered any more: the wait ends, its entry is removed, and a lock that
   * is granted nevertheless is freed at once. Nothing happens after the answer.
   */
  void abandon();
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.relay;

import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.slot.SlotOwnership;
import io.fencegate.coordination.slot.Whereabouts;
import io.fencegate.policy.name.ResourceName;
import io.vertx.core.Future;

/** Which gateway carries out a resource's writes. Used from one context. */
public interface Owners {

  /**
   * Where a resource's writes are carried out as far as this gateway knows now. Waits a while where
   * that is just changing; never fails.
   *
   * @param deadlineNanos monotonic; no answer comes later
   */
  Future<Whereabouts> locate(ResourceName resource, long deadlineNanos);

  /** This gateway's own session with the coordinator; empty while it has none. */
  String session();

  /** As the slots are owned. */
  static Owners of(SlotOwnership slots, GatewaySession session) {
    return new Owners() {
      @Override
      public Future<Whereabouts> locate(ResourceName resource, long deadlineNanos) {
        return slots.locate(resource, deadlineNanos);
      }

      @Override
      public String session() {
        return session.id();
      }
    };
  }
}

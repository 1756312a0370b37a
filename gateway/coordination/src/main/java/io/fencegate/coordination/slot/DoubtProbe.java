/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import io.fencegate.policy.name.ResourceName;
import io.vertx.core.Future;

/**
 * Asks a downstream about writes whose end nobody saw. A name stands for one write, {@code
 * session.number}, or for all writes of a session that has ended, {@code session}.
 */
public interface DoubtProbe {

  /** Nobody can be asked. */
  DoubtProbe NOBODY =
      new DoubtProbe() {
        @Override
        public boolean canBeAsked(ResourceName resource) {
          return false;
        }

        @Override
        public Future<Boolean> isSettled(ResourceName resource, String name) {
          return Future.succeededFuture(false);
        }
      };

  /**
   * Whether the resource's downstream can be asked, which means that each of its writes carries its
   * name there. The same for as long as this gateway serves the resource.
   */
  boolean canBeAsked(ResourceName resource);

  /**
   * Whether nothing that the name stands for can land any more, by the downstream's own word; false
   * where that is not known.
   */
  Future<Boolean> isSettled(ResourceName resource, String name);
}

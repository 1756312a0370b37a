/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.policy.model.Operation;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Operations that were taken apart already. A policy may be reloaded while writes go on, so they
 * are known by their whole value, not by their name. One context, no locks.
 */
final class BoundOperations {

  /** More than a policy has; where it has more, or after many reloads, the oldest use goes. */
  static final int MOST = 512;

  private static final float LOAD_FACTOR = 0.75f;

  private final Map<Operation, BoundOperation> known =
      new LinkedHashMap<>(16, LOAD_FACTOR, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Operation, BoundOperation> eldest) {
          return size() > MOST;
        }
      };

  BoundOperation of(Operation operation) {
    return known.computeIfAbsent(operation, BoundOperation::of);
  }

  int size() {
    return known.size();
  }
}

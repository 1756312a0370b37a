/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the coordinator's records say that each downstream has confirmed: the floor below which its
 * epoch must never be found again, and the sign that a term is sealed already. Forgetting is
 * harmless: the next write verifies and learns it anew. Used from one context.
 */
final class ConfirmedEpochs {

  /** The number of resources that a gateway is meant for. */
  private static final int MAX_RESOURCES = 100_000;

  private final Map<ResourceName, Optional<FencingToken>> confirmed =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(
            Map.Entry<ResourceName, Optional<FencingToken>> eldest) {
          return size() > MAX_RESOURCES;
        }
      };

  /** Whether anything is known, be it that nothing was ever confirmed. */
  boolean isKnown(ResourceName resource) {
    return confirmed.containsKey(resource);
  }

  Optional<FencingToken> of(ResourceName resource) {
    return confirmed.getOrDefault(resource, Optional.empty());
  }

  void forget(ResourceName resource) {
    confirmed.remove(resource);
  }

  void forgetAll() {
    confirmed.clear();
  }

  /** What is known only rises: answers may come in another order than they were given. */
  void learn(ResourceName resource, Optional<FencingToken> token) {
    Optional<FencingToken> known = of(resource);
    boolean lower = known.isPresent() && (token.isEmpty() || token.get().isBelow(known.get()));
    confirmed.put(resource, lower ? known : token);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.policy;

import io.fencegate.adapter.spi.Offer;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.policy.model.ResourcePolicy;
import java.util.Map;

/** The policy of a resource, its variables' values, and the adapter that carries it out. */
public record MatchedPolicy(
    ResourcePolicy policy, Map<String, String> variables, ResourceAdapter adapter) {

  /** What is promised about writes, and why. */
  public Offer kept() {
    return KeptGuarantee.of(policy, adapter.offer());
  }
}

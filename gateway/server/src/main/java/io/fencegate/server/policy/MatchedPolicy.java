/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.policy;

import io.fencegate.adapter.spi.Offer;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.policy.agreement.PolicyTerms;
import io.fencegate.policy.model.ResourcePolicy;
import java.util.Map;

/**
 * The policy of a resource, its variables' values, and the adapter that carries it out.
 *
 * @param terms on which all gateways have to agree
 */
public record MatchedPolicy(
    ResourcePolicy policy,
    PolicyTerms terms,
    Map<String, String> variables,
    ResourceAdapter adapter) {

  /** What is promised about writes, and why. */
  public Offer kept() {
    return KeptGuarantee.of(policy, adapter.offer());
  }
}

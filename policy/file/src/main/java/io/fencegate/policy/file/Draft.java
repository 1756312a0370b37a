/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import io.fencegate.policy.model.ProxyPolicy;
import io.fencegate.policy.model.ResourcePattern;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.name.AdapterName;
import io.fencegate.policy.name.PolicyName;
import java.util.Optional;

/**
 * An entry of {@code resources} as far as it could be read.
 *
 * @param problems those of its file
 * @param priority empty only where it was blamed
 */
record Draft(
    Problems problems,
    Node node,
    Optional<PolicyName> name,
    Optional<ResourcePattern> match,
    Optional<Integer> priority,
    Optional<AdapterName> adapter,
    Optional<ProxyPolicy> http,
    Optional<ResourcePolicy> policy) {

  Fields fields() {
    return new Fields(node, problems);
  }

  /** {@code policy 'x' at file:line}, for messages about another one; x as the file has it. */
  String shown() {
    String named = fields().node("name").map(it -> "policy " + it.shown()).orElse("a policy");
    return named + " at " + problems.file() + ":" + node.place().line();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.policy;

import io.fencegate.policy.agreement.PolicyTerms;
import io.fencegate.policy.model.ProxyPolicy;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.model.TokenSource;
import java.util.Map;
import java.util.TreeMap;

/** What gateways have to agree on, from a policy as its file has it. */
final class Terms {

  private Terms() {}

  /**
   * The terms of a policy.
   *
   * @param destination of its adapter: the type, and what the type says
   */
  static PolicyTerms of(ResourcePolicy policy, String destination) {
    Map<String, String> others = new TreeMap<>();
    others.put(PolicyTerms.DESTINATION, destination);
    others.put("guarantee", policy.guarantee().wireName());
    others.put("token.source", source(policy.fencing().source()));
    others.put("idempotency.scope", policy.idempotency().scope().wireName());
    if (policy.priority() != 0) {
      others.put(PolicyTerms.PRIORITY, Integer.toString(policy.priority()));
    }
    return new PolicyTerms(
        policy.name(), policy.match(), policy.http().map(ProxyPolicy::route), others);
  }

  private static String source(TokenSource source) {
    return source.wireName()
        + source.fold(() -> "", external -> "", election -> " " + election.prefix());
  }
}

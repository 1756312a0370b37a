/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.policy;

import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.model.IdempotencyScope;
import io.fencegate.policy.model.PolicySet;
import io.fencegate.policy.model.ResourcePattern;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.name.AdapterName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What this process has ever served, for judging a reload: a resource that was served keeps its
 * downstream, its guarantee, the source of its tokens and the scope of its keys until the process
 * ends, by whatever detour its policy changes. Otherwise its epoch and its keys would start anew
 * somewhere else.
 */
final class ServedSoFar {

  /** What safety depends on, for the resources of one pattern. */
  private record Route(
      ResourcePattern match,
      int priority,
      AdapterName adapter,
      Guarantee guarantee,
      String tokenSource,
      IdempotencyScope scope) {

    static Route of(ResourcePolicy policy) {
      return new Route(
          policy.match(),
          policy.priority(),
          policy.adapter(),
          policy.guarantee(),
          policy.fencing().source().wireName(),
          policy.idempotency().scope());
    }

    boolean contradicts(Route other) {
      boolean same =
          adapter.equals(other.adapter)
              && guarantee == other.guarantee
              && tokenSource.equals(other.tokenSource)
              && scope == other.scope;
      return !same && match.overlaps(other.match);
    }
  }

  private final Map<AdapterName, AdapterConfig> adapters = new HashMap<>();
  private final Set<Route> routes = new LinkedHashSet<>();

  void add(PolicySet set) {
    set.adapters().forEach(adapters::putIfAbsent);
    set.policies().forEach(policy -> routes.add(Route.of(policy)));
  }

  /** Why the set cannot be put in force without a restart; empty where it can. */
  List<String> objections(PolicySet set) {
    List<String> objections = new ArrayList<>();
    set.adapters()
        .forEach(
            (name, config) -> {
              if (!config.equals(adapters.getOrDefault(name, config))) {
                objections.add("adapter " + name + " changed: that needs a restart");
              }
            });
    Set<Route> after = new LinkedHashSet<>();
    set.policies().forEach(policy -> after.add(Route.of(policy)));
    for (ResourcePolicy policy : set.policies()) {
      Route route = Route.of(policy);
      for (Route before : routes) {
        boolean bothStay = routes.contains(route) && after.contains(before);
        if (!bothStay && route.contradicts(before)) {
          objections.add(
              "policy "
                  + policy.name()
                  + " would serve resources of "
                  + before.match()
                  + " with another adapter, guarantee, token.source or idempotency.scope than before:"
                  + " that needs a restart");
        }
      }
    }
    return objections;
  }
}

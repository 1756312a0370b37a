/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.policy;

import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.model.IdempotencyScope;
import io.fencegate.policy.model.PolicySet;
import io.fencegate.policy.model.ProxyPolicy;
import io.fencegate.policy.model.ResourcePattern;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.model.Route;
import io.fencegate.policy.name.AdapterName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What this process has ever served, for judging a reload: a resource that was served keeps its
 * downstream, its guarantee, the source of its tokens and the scope of its keys until the process
 * ends, by whatever detour its policy changes. Otherwise its epoch and its keys would start anew
 * somewhere else.
 */
final class ServedSoFar {

  /** What safety depends on, for the resources of one pattern. */
  private record Served(
      ResourcePattern match,
      int priority,
      AdapterName adapter,
      Guarantee guarantee,
      String tokenSource,
      IdempotencyScope scope,
      Optional<Route> path) {

    static Served of(ResourcePolicy policy) {
      return new Served(
          policy.match(),
          policy.priority(),
          policy.adapter(),
          policy.guarantee(),
          policy.fencing().source().wireName(),
          policy.idempotency().scope(),
          policy.http().map(ProxyPolicy::route));
    }

    boolean contradicts(Served other) {
      boolean same =
          adapter.equals(other.adapter)
              && guarantee == other.guarantee
              && tokenSource.equals(other.tokenSource)
              && scope == other.scope;
      return (!same && match.overlaps(other.match)) || leadsElsewhere(other);
    }

    /** Whether some path would lead to another resource, or to the resource by another route. */
    private boolean leadsElsewhere(Served other) {
      return path.isPresent()
          && other.path.isPresent()
          && !(match.equals(other.match) && path.equals(other.path))
          && (match.overlaps(other.match) || path.get().overlaps(other.path.get()));
    }
  }

  private final Map<AdapterName, AdapterConfig> adapters = new HashMap<>();
  private final Set<Served> routes = new LinkedHashSet<>();

  void add(PolicySet set) {
    set.adapters().forEach(adapters::putIfAbsent);
    set.policies().forEach(policy -> routes.add(Served.of(policy)));
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
    Set<Served> after = new LinkedHashSet<>();
    set.policies().forEach(policy -> after.add(Served.of(policy)));
    for (ResourcePolicy policy : set.policies()) {
      Served route = Served.of(policy);
      for (Served before : routes) {
        boolean bothStay = routes.contains(route) && after.contains(before);
        if (!bothStay && route.contradicts(before)) {
          objections.add(
              "policy "
                  + policy.name()
                  + " would serve resources of "
                  + before.match()
                  + " with another adapter, guarantee, token.source, idempotency.scope or route than"
                  + " before: that needs a restart");
        }
      }
    }
    return objections;
  }
}

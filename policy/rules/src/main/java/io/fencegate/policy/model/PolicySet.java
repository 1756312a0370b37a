/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import io.fencegate.policy.name.AdapterName;
import io.fencegate.policy.name.RequestPath;
import io.fencegate.policy.name.ResourceName;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** All that is loaded at one time; immutable. What no policy matches is denied. */
public final class PolicySet {

  /** A policy with the values that the resource's name gives to its pattern's variables. */
  public record Match(ResourcePolicy policy, Map<String, String> variables) {}

  private final Map<AdapterName, AdapterConfig> adapters;
  private final List<ResourcePolicy> policies;

  /** The loader has refused overlapping patterns of equal priority and unknown adapters before. */
  public PolicySet(Map<AdapterName, AdapterConfig> adapters, List<ResourcePolicy> policies) {
    this.adapters = Map.copyOf(adapters);
    this.policies =
        policies.stream()
            .sorted(Comparator.comparingInt(ResourcePolicy::priority).reversed())
            .toList();
  }

  public Optional<Match> match(ResourceName resource) {
    for (ResourcePolicy policy : policies) {
      Optional<Map<String, String>> variables = policy.match().match(resource);
      if (variables.isPresent()) {
        return Optional.of(new Match(policy, variables.get()));
      }
    }
    return Optional.empty();
  }

  /** A policy whose route takes a path, with the values of the route's variables. */
  public record RouteMatch(
      ResourcePolicy policy, ProxyPolicy http, Map<String, String> variables) {}

  /** The route for a path; among overlapping ones that of the higher priority. */
  public Optional<RouteMatch> route(RequestPath path) {
    for (ResourcePolicy policy : policies) {
      Optional<RouteMatch> match =
          policy
              .http()
              .flatMap(
                  http -> http.route().match(path).map(it -> new RouteMatch(policy, http, it)));
      if (match.isPresent()) {
        return match;
      }
    }
    return Optional.empty();
  }

  public Map<AdapterName, AdapterConfig> adapters() {
    return adapters;
  }

  public List<ResourcePolicy> policies() {
    return policies;
  }
}

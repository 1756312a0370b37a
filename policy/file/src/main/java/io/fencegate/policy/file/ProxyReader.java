/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import io.fencegate.policy.model.ProxyPolicy;
import io.fencegate.policy.model.Route;
import io.fencegate.policy.model.UnresolvedPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Reads {@code http} and {@code onUnresolved} of one policy. */
final class ProxyReader {

  private static final Duration SHORTEST_SETTLING = Duration.ofMillis(100);

  /** What a downstream may need to finish an abandoned request at the very most. */
  private static final Duration LONGEST_SETTLING = Duration.ofHours(1);

  private final Fields policy;
  private final Fields http;
  private final Problems problems;

  ProxyReader(Fields policy, Problems problems) {
    this.policy = policy;
    this.http = policy.in("http");
    this.problems = problems;
  }

  /**
   * The section, where it is there and usable.
   *
   * @param variables of the policy's match, which the route has to give
   */
  Optional<ProxyPolicy> read(List<String> variables) {
    Optional<Route> route = http.parsed("route", Route::parse);
    route.ifPresent(it -> givesAll(it, variables));
    return route.map(it -> new ProxyPolicy(it, methods(), reads()));
  }

  private void givesAll(Route route, List<String> variables) {
    List<String> missing =
        variables.stream().filter(it -> !route.variables().contains(it)).toList();
    if (!missing.isEmpty()) {
      http.node("route")
          .ifPresent(
              node ->
                  problems.blame(
                      node, "a route with every variable of match, {" + missing.get(0) + "} too"));
    }
  }

  private Set<String> methods() {
    Set<String> methods = new TreeSet<>();
    if (http.node("methods").orElse(null) instanceof Node.Sequence given) {
      for (Node item : given.items()) {
        if (item instanceof Node.Scalar scalar && scalar.value() instanceof String method) {
          methods.add(method);
        }
      }
      return methods;
    }
    return ProxyPolicy.WRITE_METHODS;
  }

  private boolean reads() {
    return http.text("reads").map("allow"::equals).orElse(false);
  }

  UnresolvedPolicy unresolved() {
    Fields given = policy.in("onUnresolved");
    boolean waits = given.text("action").map("wait"::equals).orElse(false);
    Optional<Duration> settleAfter =
        given.duration("settleAfter", SHORTEST_SETTLING, LONGEST_SETTLING);
    if (waits && policy.node("http").isEmpty()) {
      given
          .node("action")
          .ifPresent(node -> problems.blame(node, "block: only a policy with 'http' may wait"));
    }
    if (waits && settleAfter.isEmpty() && !given.isBlamed("settleAfter")) {
      policy
          .node("onUnresolved")
          .ifPresent(node -> problems.blame(node, "settleAfter beside action: wait"));
    }
    if (!waits && settleAfter.isPresent()) {
      given
          .node("settleAfter")
          .ifPresent(node -> problems.blame(node, "no such key beside action: block"));
    }
    return waits ? new UnresolvedPolicy(settleAfter) : UnresolvedPolicy.BLOCK;
  }
}

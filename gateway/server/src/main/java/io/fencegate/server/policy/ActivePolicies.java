/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.policy;

import io.fencegate.adapter.spi.ProxyAdapter;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.policy.agreement.PolicyTerms;
import io.fencegate.policy.model.PolicySet;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.name.AdapterName;
import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.name.RequestPath;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** What is in force at this moment; replaced as a whole. Used from one context. */
public final class ActivePolicies {

  /** What an operation may take: a write's budget. */
  private static final Duration LONGEST_WRITE = Duration.ofSeconds(10);

  private InForce inForce;
  private Function<PolicyTerms, Optional<Refusal>> objections = terms -> Optional.empty();

  /**
   * What is in force together.
   *
   * @param terms of each policy
   * @param adapters of the set, by their names
   * @param made those and all that writes may still be under way with
   */
  record InForce(
      PolicySet set,
      Map<PolicyName, PolicyTerms> terms,
      Map<AdapterName, ResourceAdapter> adapters,
      List<ResourceAdapter> made) {
    InForce {
      terms = Map.copyOf(terms);
      adapters = Map.copyOf(adapters);
      made = List.copyOf(made);
    }
  }

  ActivePolicies(InForce inForce) {
    this.inForce = inForce;
  }

  void replace(InForce next) {
    this.inForce = next;
  }

  public PolicySet set() {
    return inForce.set();
  }

  /** What each policy's safety depends on. */
  public Map<PolicyName, PolicyTerms> terms() {
    return inForce.terms();
  }

  public Map<AdapterName, ResourceAdapter> adapters() {
    return inForce.adapters();
  }

  /**
   * The longest that one write may be under way to a downstream that cannot refuse it: twice an
   * adapter's own time, which begins anew where a slow caller holds up the answer.
   */
  public Duration longestForward() {
    return inForce.made().stream()
        .filter(it -> it.offer().needsOwner())
        .map(
            it ->
                it instanceof ProxyAdapter proxy
                    ? proxy.longestForward().multipliedBy(2)
                    : LONGEST_WRITE)
        .max(Comparator.naturalOrder())
        .orElse(LONGEST_WRITE);
  }

  /**
   * The longest that one write may be under way, to whatever downstream this process has written.
   */
  public Duration longestWrite() {
    return inForce.made().stream()
        .filter(ProxyAdapter.class::isInstance)
        .map(it -> ((ProxyAdapter) it).longestForward().multipliedBy(2))
        .filter(it -> it.compareTo(LONGEST_WRITE) > 0)
        .max(Comparator.naturalOrder())
        .orElse(LONGEST_WRITE);
  }

  /** From now on {@link #matchAgreed} refuses what other gateways do not agree with. */
  public void agreeBy(Function<PolicyTerms, Optional<Refusal>> objections) {
    this.objections = objections;
  }

  /**
   * The policy for a resource, where all gateways go by it: for whatever concerns its downstream
   * and is no write.
   */
  public Ruling<MatchedPolicy> matchAgreed(ResourceName resource) {
    return match(resource)
        .then(
            matched ->
                objections
                    .apply(matched.terms())
                    .map(Ruling::<MatchedPolicy>refused)
                    .orElseGet(() -> Ruling.granted(matched)));
  }

  /** Whether the resource's writes are sent on whatever their token says. */
  public boolean isInShadow(ResourceName resource) {
    return set().match(resource).filter(match -> match.policy().fencing().isShadow()).isPresent();
  }

  /**
   * The policy whose route takes a path, and the resource that it derives; what no route takes is
   * denied. A resource that belongs to another policy is too: its adapter would not be the route's.
   */
  public Ruling<RoutedPolicy> route(RequestPath path) {
    Optional<PolicySet.RouteMatch> route = set().route(path);
    if (route.isEmpty()) {
      return Ruling.refused(
          RefusalCode.NOT_FOUND.because(
              "no policy's route takes the path " + Parsed.show(path.text())));
    }
    ResourcePolicy policy = route.get().policy();
    return policy
        .match()
        .fill(route.get().variables())
        .fold(
            resource ->
                match(resource)
                    .then(
                        matched ->
                            matched.policy().equals(policy)
                                ? Ruling.granted(
                                    new RoutedPolicy(resource, route.get().http(), matched))
                                : Ruling.refused(elsewhere(resource, matched.policy()))),
            bad ->
                Ruling.refused(Refusal.malformed(RefusalCode.INVALID_RESOURCE, "resource", bad)));
  }

  private static Refusal elsewhere(ResourceName resource, ResourcePolicy owner) {
    return RefusalCode.UNKNOWN_RESOURCE.because(
        "the path leads to resource " + resource + ", which belongs to policy " + owner.name());
  }

  /** The policy for a resource; what none matches is denied. */
  public Ruling<MatchedPolicy> match(ResourceName resource) {
    Optional<PolicySet.Match> match = set().match(resource);
    if (match.isEmpty()) {
      return Ruling.refused(
          RefusalCode.UNKNOWN_RESOURCE.because("no policy matches resource " + resource));
    }
    ResourcePolicy policy = match.get().policy();
    ResourceAdapter adapter = adapters().get(policy.adapter());
    PolicyTerms terms = terms().get(policy.name());
    if (adapter == null || terms == null) {
      throw new IllegalStateException("no adapter or terms of policy " + policy.name());
    }
    return Ruling.granted(new MatchedPolicy(policy, terms, match.get().variables(), adapter));
  }
}

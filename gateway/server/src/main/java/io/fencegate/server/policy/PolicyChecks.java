/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.policy;

import io.fencegate.adapter.spi.AdapterFactory;
import io.fencegate.adapter.spi.Offer;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.policy.file.LoadedPolicies;
import io.fencegate.policy.file.PlacedPolicy;
import io.fencegate.policy.file.PolicyFiles;
import io.fencegate.policy.file.PolicyLoad;
import io.fencegate.policy.file.PolicyMessage;
import io.fencegate.policy.file.SourceFile;
import io.fencegate.policy.file.ValueResolver;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.PolicyProblem;
import io.fencegate.policy.model.TokenSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads policy files and lets the adapters look at what concerns them: their settings, the
 * operations, and whether the demanded guarantee can be kept. Pure but for the resolver.
 */
public final class PolicyChecks {

  private final AdapterFactories factories;
  private final Optional<String> noElectionsBecause;

  /** For a gateway with whatever coordinator. */
  public PolicyChecks(AdapterFactories factories) {
    this(factories, Optional.empty());
  }

  /**
   * For one gateway.
   *
   * @param noElectionsBecause why it cannot look at candidates in etcd; empty where it can
   */
  PolicyChecks(AdapterFactories factories, Optional<String> noElectionsBecause) {
    this.factories = factories;
    this.noElectionsBecause = noElectionsBecause;
  }

  /** All of it, or none with every reason. */
  public PolicyLoad load(List<SourceFile> files, ValueResolver resolver) {
    return PolicyFiles.load(files, resolver).fold(this::checked, PolicyLoad.Broken::new);
  }

  private PolicyLoad checked(LoadedPolicies loaded) {
    List<PolicyMessage> messages =
        loaded.set().adapters().values().stream()
            .flatMap(adapter -> problems(adapter, loaded).stream())
            .map(loaded::locate)
            .toList();
    return messages.isEmpty() ? new PolicyLoad.Loaded(loaded) : new PolicyLoad.Broken(messages);
  }

  private List<PolicyProblem> problems(AdapterConfig config, LoadedPolicies loaded) {
    Optional<AdapterFactory> factory = factories.of(config.type());
    if (factory.isEmpty()) {
      return List.of(
          new PolicyProblem(
              "/adapters/" + config.name() + "/type",
              "'" + config.type() + "'",
              "one of " + factories.types()));
    }
    List<PlacedPolicy> policies = loaded.policiesOf(config.name());
    List<PolicyProblem> problems =
        new ArrayList<>(
            factory.get().check(config, policies.stream().map(PolicyChecks::placed).toList()));
    if (factory.get().takesRoutes()) {
      problems.addAll(keptTooLong(config, policies));
    } else {
      problems.addAll(routes(config, policies));
    }
    if (problems.isEmpty()) {
      problems.addAll(tooWeak(factory.get().offer(config), policies));
      problems.addAll(withoutShadow(factory.get(), policies));
      problems.addAll(withoutEtcd(policies));
    }
    return problems;
  }

  private static AdapterFactory.PlacedPolicy placed(PlacedPolicy policy) {
    return new AdapterFactory.PlacedPolicy(policy.pointer(), policy.policy());
  }

  private static List<PolicyProblem> withoutShadow(
      AdapterFactory factory, List<PlacedPolicy> policies) {
    return policies.stream()
        .filter(it -> it.policy().fencing().isShadow() && !factory.takesShadowWrites())
        .map(
            it ->
                new PolicyProblem(
                    it.pointer() + "/enforcement",
                    "'shadow'",
                    "'enforce': an adapter of type "
                        + factory.type()
                        + " sends on no writes that it would have to refuse"))
        .toList();
  }

  private List<PolicyProblem> withoutEtcd(List<PlacedPolicy> policies) {
    return policies.stream()
        .filter(it -> it.policy().fencing().source() instanceof TokenSource.Election)
        .flatMap(
            it ->
                noElectionsBecause.stream()
                    .map(
                        why ->
                            new PolicyProblem(
                                it.pointer() + "/token/source",
                                "'etcd-election'",
                                "'lock' or 'external': " + why)))
        .toList();
  }

  /** What was answered through a route is recorded in the coordinator, on its leases. */
  private static List<PolicyProblem> keptTooLong(
      AdapterConfig config, List<PlacedPolicy> policies) {
    return policies.stream()
        .filter(it -> it.policy().idempotency().retention().compareTo(TtlClass.longest()) > 0)
        .map(
            it ->
                new PolicyProblem(
                    it.pointer() + "/idempotency/retention",
                    it.policy().idempotency().retention().toHours() + "h",
                    "at most "
                        + TtlClass.longest().toHours()
                        + "h with an adapter of type "
                        + config.type()
                        + ", whose records the coordinator keeps"))
        .toList();
  }

  private static List<PolicyProblem> routes(AdapterConfig config, List<PlacedPolicy> policies) {
    return policies.stream()
        .filter(it -> it.policy().http().isPresent())
        .map(
            it ->
                new PolicyProblem(
                    it.pointer() + "/http",
                    "'http'",
                    "no such section with an adapter of type " + config.type()))
        .toList();
  }

  private static List<PolicyProblem> tooWeak(Offer offer, List<PlacedPolicy> policies) {
    return policies.stream()
        .filter(it -> offer.guarantee().isWeakerThan(it.policy().guarantee()))
        .map(
            it ->
                new PolicyProblem(
                    it.pointer() + "/guarantee",
                    "'" + it.policy().guarantee().wireName() + "'",
                    "at most '"
                        + offer.guarantee().wireName()
                        + "' with this adapter: "
                        + offer.reason()))
        .toList();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.adapter.spi.AdapterFactory;
import io.fencegate.adapter.spi.NamedDestination;
import io.fencegate.adapter.spi.Offer;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.PolicyProblem;
import io.fencegate.policy.model.ResourcePolicy;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes adapters of {@code type: http}. Settings: {@code url}, {@code fencing: serialized |
 * downstream} (serialized), {@code timeout} (5s, for one request as a whole), {@code
 * connectTimeout} (1s), {@code pool: {size, queue}} (64, 256).
 */
public final class HttpAdapterFactory implements AdapterFactory {

  @Override
  public String type() {
    return "http";
  }

  @Override
  public boolean takesRoutes() {
    return true;
  }

  @Override
  public Offer offer(AdapterConfig config) {
    return HttpSettings.of(config).fencing().offer();
  }

  @Override
  public String destination(AdapterConfig config) {
    HttpSettings settings = HttpSettings.of(config);
    // A write that carries no name cannot be asked about, so the probe is part of the agreement.
    String asked = settings.probe().map(it -> " asked at " + it.path()).orElse("");
    String place = NamedDestination.of(config, settings.url().toString());
    return place + " " + settings.fencing().wireName() + asked;
  }

  @Override
  public List<PolicyProblem> check(AdapterConfig config, List<PlacedPolicy> policies) {
    List<PolicyProblem> problems = new ArrayList<>(HttpSettings.problems(config));
    policies.forEach(placed -> check(placed.pointer(), placed.policy(), problems));
    if (problems.isEmpty() && HttpSettings.of(config).fencing() == FencingMode.CONDITIONAL) {
      policies.forEach(
          placed -> problems.addAll(VersionedRoutes.problems(placed.pointer(), placed.policy())));
    }
    return problems;
  }

  private static void check(String pointer, ResourcePolicy policy, List<PolicyProblem> problems) {
    if (policy.http().isEmpty()) {
      problems.add(
          new PolicyProblem(pointer, "no 'http'", "an 'http' section with the route to forward"));
    }
    if (!policy.operations().isEmpty()) {
      problems.add(
          new PolicyProblem(
              pointer + "/operations", "operations", "none: requests are forwarded as they come"));
    }
  }

  @Override
  public ResourceAdapter create(
      AdapterConfig config, List<ResourcePolicy> policies, AdapterContext context) {
    return new HttpAdapter(HttpSettings.of(config), context);
  }
}

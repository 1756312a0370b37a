/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.memory;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.adapter.spi.AdapterFactory;
import io.fencegate.adapter.spi.Offer;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.model.Operation;
import io.fencegate.policy.model.PolicyProblem;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.name.Parsed;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Makes adapters of {@code type: memory}: they keep everything in this process and forget it with
 * it. Any statement text is accepted and means "append the parameters to the log".
 */
public final class MemoryAdapterFactory implements AdapterFactory {

  static final Offer OFFER =
      Offer.keptByDownstream(
          Guarantee.STRICT,
          "epochs and writes live in one process and change in one step; both are lost with it");

  @Override
  public String type() {
    return "memory";
  }

  @Override
  public Offer offer(AdapterConfig config) {
    return OFFER;
  }

  /** Each adapter has a memory of its own. */
  @Override
  public String destination(AdapterConfig config) {
    return config.name().value();
  }

  @Override
  public List<PolicyProblem> check(AdapterConfig config, List<PlacedPolicy> policies) {
    List<PolicyProblem> problems = new ArrayList<>();
    for (String key : new TreeSet<>(config.settings().keySet())) {
      problems.add(
          new PolicyProblem(
              "/adapters/" + config.name() + "/" + key.replace("~", "~0").replace("/", "~1"),
              "setting " + Parsed.show(key),
              "no settings: the memory adapter has none"));
    }
    for (PlacedPolicy placed : policies) {
      if (placed.policy().operations().isEmpty()) {
        problems.add(
            new PolicyProblem(placed.pointer(), "no operation", "at least one under 'operations'"));
      }
      placed.policy().operations().values().forEach(each -> checkTypes(placed, each, problems));
    }
    return problems;
  }

  private static void checkTypes(
      PlacedPolicy placed, Operation operation, List<PolicyProblem> problems) {
    operation
        .params()
        .forEach(
            (name, type) -> {
              if (LooseType.named(type).isEmpty()) {
                problems.add(
                    new PolicyProblem(
                        placed.pointer() + "/operations/" + operation.name() + "/params/" + name,
                        "type " + Parsed.show(type),
                        LooseType.names()));
              }
            });
  }

  @Override
  public boolean takesShadowWrites() {
    return true;
  }

  @Override
  public ResourceAdapter create(
      AdapterConfig config, List<ResourcePolicy> policies, AdapterContext context) {
    return new MemoryAdapter(new MemoryDownstream(), context.clocks());
  }
}

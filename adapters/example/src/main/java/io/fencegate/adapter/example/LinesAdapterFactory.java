/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.example;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.adapter.spi.AdapterFactory;
import io.fencegate.adapter.spi.Offer;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.model.PolicyProblem;
import io.fencegate.policy.model.ResourcePolicy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Makes adapters of {@code type: lines}. Its one setting is {@code folder}, where the files lie.
 */
public final class LinesAdapterFactory implements AdapterFactory {

  static final Offer OFFER =
      Offer.keptByGateway(
          Guarantee.SERIALIZED,
          "a file compares no tokens, so a newer one waits in the gateway until older writes end");

  @Override
  public String type() {
    return "lines";
  }

  @Override
  public Offer offer(AdapterConfig config) {
    return OFFER;
  }

  @Override
  public String destination(AdapterConfig config) {
    return String.valueOf(config.settings().get("folder"));
  }

  @Override
  public List<PolicyProblem> check(AdapterConfig config, List<PlacedPolicy> policies) {
    List<PolicyProblem> problems = new ArrayList<>();
    String place = "/adapters/" + config.name() + "/";
    if (!(config.settings().get("folder") instanceof String)) {
      problems.add(new PolicyProblem(place + "folder", "no text", "the path of a folder"));
    }
    for (String key : new TreeSet<>(config.settings().keySet())) {
      if (!key.equals("folder")) {
        problems.add(new PolicyProblem(place + key, "this setting", "no other than 'folder'"));
      }
    }
    return problems;
  }

  @Override
  public ResourceAdapter create(
      AdapterConfig config, List<ResourcePolicy> policies, AdapterContext context) {
    return new LinesAdapter(Path.of(String.valueOf(config.settings().get("folder"))), context);
  }
}

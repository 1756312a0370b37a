/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.adapter.spi.AdapterFactory;
import io.fencegate.adapter.spi.NamedDestination;
import io.fencegate.adapter.spi.Offer;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.model.PolicyProblem;
import io.fencegate.policy.model.ResourcePolicy;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes adapters of {@code type: postgres}. Settings: {@code url} ({@code
 * postgresql://user:password@host:5432/database}), {@code pool: {size: 1..200}} (16), {@code
 * install: true|false} (true: the schema {@code fencegate} is created on first use where it is
 * missing), {@code timeout} (5s, for one attempt to connect).
 *
 * <p>Wants a connection of its own for each transaction: behind a pooler in transaction mode its
 * prepared statements and its start-up settings are lost.
 */
public final class PostgresAdapterFactory implements AdapterFactory {

  static final Offer OFFER =
      Offer.keptByDownstream(
          Guarantee.STRICT,
          "the database compares the token with the resource's epoch in the write's transaction");

  @Override
  public String type() {
    return "postgres";
  }

  @Override
  public Offer offer(AdapterConfig config) {
    return OFFER;
  }

  @Override
  public String destination(AdapterConfig config) {
    return NamedDestination.of(config, PostgresSettings.of(config).destination());
  }

  @Override
  public List<PolicyProblem> check(AdapterConfig config, List<PlacedPolicy> policies) {
    List<PolicyProblem> problems = new ArrayList<>(PostgresSettings.problems(config));
    policies.forEach(
        placed -> problems.addAll(OperationCheck.problems(placed.pointer(), placed.policy())));
    return problems;
  }

  @Override
  public boolean takesShadowWrites() {
    return true;
  }

  @Override
  public ResourceAdapter create(
      AdapterConfig config, List<ResourcePolicy> policies, AdapterContext context) {
    return new PostgresAdapter(
        PostgresSettings.of(config), context, new WriteIds(new SecureRandom()));
  }

  @Override
  public Optional<String> installSql() {
    return Optional.of(Schema.ddl());
  }
}

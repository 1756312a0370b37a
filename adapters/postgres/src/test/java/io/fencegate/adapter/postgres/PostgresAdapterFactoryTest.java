/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.spi.AdapterFactory;
import io.fencegate.adapter.spi.AdapterFactory.PlacedPolicy;
import io.fencegate.policy.model.AcquirePolicy;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.FencingPolicy;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.model.IdempotencyPolicy;
import io.fencegate.policy.model.LeasePolicy;
import io.fencegate.policy.model.Limits;
import io.fencegate.policy.model.Operation;
import io.fencegate.policy.model.PolicyProblem;
import io.fencegate.policy.model.ResourcePattern;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.model.UnresolvedPolicy;
import io.fencegate.policy.name.AdapterName;
import io.fencegate.policy.name.OperationName;
import io.fencegate.policy.name.PolicyName;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresAdapterFactoryTest {

  private static final String URL = "postgresql://user:s3cr3t@127.0.0.1:5432/ledger";
  private static final String SQL = "/resources/0/operations/op/sql";

  private final PostgresAdapterFactory factory = new PostgresAdapterFactory();

  @Test
  void theServiceLoaderFindsIt() {
    assertThat(ServiceLoader.load(AdapterFactory.class))
        .extracting(AdapterFactory::type)
        .contains("postgres");
  }

  @Test
  void strictIsOfferedAndTheSchemaCanBePrinted() {
    assertThat(factory.offer(config(Map.of("url", URL))).guarantee()).isEqualTo(Guarantee.STRICT);
    assertThat(factory.installSql().orElseThrow()).contains("CREATE SCHEMA IF NOT EXISTS");
  }

  @Test
  void goodSettingsHaveNoProblems() {
    assertThat(problems(Map.of("url", URL))).isEmpty();
    assertThat(
            problems(
                Map.of(
                    "url", URL, "pool", Map.of("size", 200), "install", false, "timeout", "500ms")))
        .isEmpty();
  }

  @Test
  void everyBadSettingIsNamedAtItsPlaceWithoutSecrets() {
    List<PolicyProblem> problems =
        problems(
            Map.of(
                "url",
                "mysql://user:s3cr3t@host/db",
                "pool",
                Map.of("size", 0, "sise", 1),
                "install",
                "yes",
                "timeout",
                "5",
                "ssl",
                true));
    assertThat(problems)
        .extracting(PolicyProblem::pointer)
        .containsExactlyInAnyOrder(
            "/adapters/db/url",
            "/adapters/db/pool/size",
            "/adapters/db/pool/sise",
            "/adapters/db/install",
            "/adapters/db/timeout",
            "/adapters/db/ssl");
    assertThat(problems.toString()).doesNotContain("s3cr3t");
    assertThat(PostgresSettings.of(config(Map.of("url", URL))).toString()).doesNotContain("s3cr3t");
    assertThat(problems(Map.of()))
        .extracting(PolicyProblem::pointer)
        .containsExactly("/adapters/db");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT a",
        "SET x = 1",
        "RESET ALL",
        "PREPARE p AS SELECT 1",
        "LISTEN c",
        "COPY t FROM STDIN",
        "VACUUM",
        "CALL p()",
        "DO $$ BEGIN END $$",
        "TRUNCATE t",
        "SELECT 1; COMMIT",
        "SELECT ':a",
        "SELECT $1",
        "SELECT :unknown",
        "",
      })
  void unfitStatementIsRefusedAtItsPlace(String sql) {
    assertThat(check(sql, Map.of())).extracting(PolicyProblem::pointer).containsOnly(SQL);
  }

  @Test
  void fitStatementsAreTaken() {
    assertThat(check("INSERT INTO t VALUES (:region, :a)", Map.of("a", "numeric"))).isEmpty();
    assertThat(check("WITH x AS (SELECT 1) DELETE FROM t;", Map.of())).isEmpty();
    assertThat(check("merge into t using s on t.a = s.a when matched then delete", Map.of()))
        .isEmpty();
  }

  @Test
  void badParametersAreNamedAtTheirPlace() {
    assertThat(check("SELECT :a, :region", Map.of("a", "money")))
        .extracting(PolicyProblem::pointer)
        .containsExactly("/resources/0/operations/op/params/a");
    assertThat(check("SELECT 1", Map.of("a", "text")))
        .extracting(PolicyProblem::pointer)
        .containsExactly("/resources/0/operations/op/params/a");
    assertThat(check("SELECT :region", Map.of("region", "text")))
        .extracting(PolicyProblem::pointer)
        .containsExactly("/resources/0/operations/op/params/region");
  }

  private List<PolicyProblem> problems(Map<String, Object> settings) {
    return factory.check(config(settings), List.of());
  }

  private List<PolicyProblem> check(String sql, Map<String, String> params) {
    OperationName name = new OperationName("op");
    ResourcePolicy policy =
        new ResourcePolicy(
            new PolicyName("p"),
            ResourcePattern.parse("settlement/{region}").orThrow(),
            0,
            new AdapterName("db"),
            Guarantee.STRICT,
            FencingPolicy.DEFAULT,
            LeasePolicy.DEFAULT,
            AcquirePolicy.DEFAULT,
            IdempotencyPolicy.DEFAULT,
            UnresolvedPolicy.BLOCK,
            Limits.DEFAULT,
            Map.of(name, new Operation(name, sql, params, 0)),
            Optional.empty());
    return factory.check(
        config(Map.of("url", URL)), List.of(new PlacedPolicy("/resources/0", policy)));
  }

  private static AdapterConfig config(Map<String, Object> settings) {
    return new AdapterConfig(new AdapterName("db"), "postgres", settings);
  }
}

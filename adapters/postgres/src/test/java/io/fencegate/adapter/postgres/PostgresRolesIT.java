/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import static io.fencegate.adapter.postgres.TestGateway.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.SealOutcome;
import io.fencegate.adapter.tck.LogEntry;
import io.fencegate.adapter.tck.OnContext;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What roles, defaults and the way of installing may change: nothing about safety. */
class PostgresRolesIT {

  private static final ResourceName RESOURCE = new ResourceName("roles/one");
  private static final String YOUNG_ID =
      "(lpad(to_hex(fencegate.clock()), 16, '0') || repeat('0', 32))";

  private final Vertx vertx = Vertx.vertx();
  private TestDatabase database;
  private String role;

  @RegisterExtension
  final BeforeEachCallback ownDatabase =
      context -> {
        database = TestDatabase.create(context);
        role = "role_" + database.name();
      };

  @AfterEach
  void stop() {
    OnContext.await(vertx.close().toCompletionStage().toCompletableFuture());
  }

  @Test
  void schemaIsInstalledOnceByManyGatewaysThatStartAtOnce() {
    List<TestGateway> gateways =
        IntStream.range(0, 6).mapToObj(i -> new TestGateway(vertx, database.settings())).toList();
    List<CompletableFuture<SealOutcome>> seals =
        gateways.stream().map(gateway -> gateway.startSeal(RESOURCE, 7)).toList();
    assertThat(seals.stream().map(OnContext::await))
        .allMatch(outcome -> outcome.equals(new SealOutcome.Sealed()));
    assertThat(database.column("SELECT version FROM fencegate.schema_version"))
        .containsExactly("1");
    gateways.forEach(TestGateway::close);
  }

  @Test
  void missingSchemaIsNamedTogetherWithTheCommandWhereInstallIsOff() {
    try (TestGateway gateway =
        new TestGateway(vertx, database.settings(Map.of("install", false)))) {
      SealOutcome outcome = gateway.seal(RESOURCE, 7);
      assertThat(refusal(outcome).code()).isEqualTo(RefusalCode.DOWNSTREAM_UNAVAILABLE);
      assertThat(refusal(outcome).detail()).contains("fencegate sql install");
      assertThat(gateway.unreachable().orElseThrow()).contains("fencegate sql install");
      assertThat(database.column("SELECT 1 FROM pg_namespace WHERE nspname = 'fencegate'"))
          .isEmpty();
      database.run(Schema.ddl());
      gateway.sealed(RESOURCE, 7);
    }
  }

  @Test
  void gatewayNeedsNoRightsToTheTables() {
    database.run(Schema.ddl());
    createRole("");
    database.run("GRANT USAGE ON SCHEMA fencegate TO " + role);
    database.run("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA fencegate TO " + role);
    try (TestGateway gateway = gatewayOfRole()) {
      gateway.sealed(RESOURCE, 7);
      assertThat(gateway.append(RESOURCE, 7, "a")).isInstanceOf(ApplyOutcome.Applied.class);
    }
    assertRefused("42501", "SELECT * FROM fencegate.epochs");
    assertRefused("42501", "DELETE FROM fencegate.writes");
  }

  @Test
  void roleWithoutGrantsCannotTouchTheGuards() {
    database.run(Schema.ddl());
    createRole("");
    database.run("GRANT USAGE ON SCHEMA fencegate TO " + role);
    assertRefused("42501", "SELECT fencegate.guard_raise('r', 9, NULL)");
    assertRefused("42501", "SELECT fencegate.guard('r', 9, 'x')");
    assertRefused("42501", "SELECT fencegate.cancel('x')");
    assertRefused("42501", "SELECT fencegate.purge(1)");
  }

  @Test
  void roleWhoseDefaultIsRepeatableReadStillWritesCorrectly() {
    database.run(Schema.ddl());
    createRole("");
    database.run("ALTER ROLE " + role + " SET default_transaction_isolation = 'repeatable read'");
    grantAll();
    try (TestGateway gateway = gatewayOfRole()) {
      gateway.sealed(RESOURCE, 41);
      assertThat(gateway.append(RESOURCE, 41, "a")).isInstanceOf(ApplyOutcome.Applied.class);
      gateway.sealed(RESOURCE, 42);
      assertThat(gateway.append(RESOURCE, 41, "old")).isInstanceOf(ApplyOutcome.Stale.class);
      assertThat(gateway.append(RESOURCE, 42, "b")).isInstanceOf(ApplyOutcome.Applied.class);
    }
    assertThat(database.log(RESOURCE)).extracting(LogEntry::value).containsExactly("a", "b");
    assertRefused("FG004", "SELECT fencegate.guard_raise('r', 9, NULL)");
  }

  @Test
  void guardsRefuseEveryOtherIsolationLevel() throws SQLException {
    database.run(Schema.ddl());
    for (String level : List.of("REPEATABLE READ", "SERIALIZABLE")) {
      try (Connection connection = database.connect();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.execute("SET TRANSACTION ISOLATION LEVEL " + level);
        assertThatThrownBy(() -> statement.execute("SELECT fencegate.guard('r', 9, 'x')"))
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("FG004"));
      }
    }
  }

  @Test
  void commitIsDurableEvenIfTheRoleDoesNotAskForIt() throws SQLException {
    database.run(Schema.ddl());
    database.run("SELECT fencegate.guard_raise('r', 9, NULL)");
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET synchronous_commit = off");
      connection.setAutoCommit(false);
      statement.execute("SELECT fencegate.guard('r', 9, " + YOUNG_ID + ")");
      try (var row = statement.executeQuery("SHOW synchronous_commit")) {
        row.next();
        assertThat(row.getString(1)).isEqualTo("on");
      }
    }
  }

  @Test
  void oldAndMalformedWriteIdsAreRefused() {
    database.run(Schema.ddl());
    createRole("SUPERUSER");
    database.run("SELECT fencegate.guard_raise('r', 9, NULL)");
    String old = "lpad(to_hex(fencegate.clock() - 31 * 60 * 1000000::bigint), 16, '0')";
    assertRefused("FG005", "SELECT fencegate.guard('r', 9, " + old + " || repeat('0', 32))");
    assertRefused("FG005", "SELECT fencegate.guard('r', 9, 'x')");
    String older = "lpad(to_hex(fencegate.clock() - 61 * 60 * 1000000::bigint), 16, '0')";
    assertRefused("FG005", "SELECT fencegate.cancel(" + older + " || repeat('0', 32))");
  }

  @Test
  void cancelledWriteCanNeverBeRecordedAndSoNeverCommit() {
    database.run(Schema.ddl());
    createRole("SUPERUSER");
    String id = "'" + database.column("SELECT " + YOUNG_ID).get(0) + "'";
    assertThat(database.column("SELECT fencegate.cancel(" + id + ")")).containsExactly("cancelled");
    assertThat(database.column("SELECT fencegate.cancel(" + id + ")")).containsExactly("cancelled");
    assertRefused(
        "23505", "SELECT fencegate.record(" + id + ", 'r', 9, NULL, NULL, NULL, NULL, NULL)");
  }

  @Test
  void wrongPasswordIsToldWithoutIt() {
    String url = database.url(TestDatabase.USER, "s3cr3t", database.port());
    createRole("");
    String wrong = database.url(role, "s3cr3t", database.port());
    for (String each : List.of(url, wrong)) {
      try (TestGateway gateway = new TestGateway(vertx, database.settings(Map.of("url", each)))) {
        gateway.unreachable().ifPresent(reason -> assertThat(reason).doesNotContain("s3cr3t"));
      }
    }
    String nobody = database.url("nobody_here", "s3cr3t", database.port());
    try (TestGateway gateway = new TestGateway(vertx, database.settings(Map.of("url", nobody)))) {
      SealOutcome outcome = gateway.seal(RESOURCE, 7);
      assertThat(refusal(outcome).code()).isEqualTo(RefusalCode.DOWNSTREAM_UNAVAILABLE);
      assertThat(refusal(outcome).sqlState()).startsWith("28");
      assertThat(refusal(outcome).toString()).doesNotContain("s3cr3t", "nobody_here");
      assertThat(refusal(outcome).detail()).contains("refuses the login (SQLSTATE 28");
    }
  }

  @Test
  void purgeForgetsOnlyWhatIsOver() {
    try (TestGateway gateway = new TestGateway(vertx, database.settings())) {
      gateway.sealed(RESOURCE, 7);
      for (int i = 0; i < 5; i++) {
        gateway.append(RESOURCE, 7, "v" + i);
      }
      assertThat(database.column("SELECT fencegate.purge(100)")).containsExactly("0");
      assertThat(
              database.column(
                  "SELECT 1 FROM fencegate.writes WHERE keep_until >= at + interval '2 hours'"))
          .hasSize(5);
      database.run("UPDATE fencegate.writes SET keep_until = clock_timestamp() - interval '1 s'");
      assertThat(database.column("SELECT fencegate.purge(3)")).containsExactly("3");
      assertThat(database.column("SELECT fencegate.purge(3)")).containsExactly("2");
      assertThat(database.column("SELECT epoch FROM fencegate.epochs")).containsExactly("7");
    }
  }

  private void createRole(String more) {
    database.run("CREATE ROLE " + role + " LOGIN PASSWORD 'pw' " + more);
    database.run("GRANT ALL ON entries TO " + role);
    database.run("GRANT ALL ON SEQUENCE entries_id_seq TO " + role);
  }

  private void grantAll() {
    database.run("GRANT USAGE ON SCHEMA fencegate TO " + role);
    database.run("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA fencegate TO " + role);
  }

  private TestGateway gatewayOfRole() {
    String url = database.url(role, "pw", database.port());
    return new TestGateway(vertx, database.settings(Map.of("url", url, "install", false)));
  }

  private void assertRefused(String state, String sql) {
    assertThatThrownBy(
            () -> {
              try (Connection connection = database.connect(role, "pw");
                  Statement statement = connection.createStatement()) {
                statement.execute(sql);
              }
            })
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(state));
  }
}

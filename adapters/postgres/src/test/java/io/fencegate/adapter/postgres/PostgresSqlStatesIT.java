/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import static io.fencegate.adapter.postgres.TestGateway.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.OperationCall;
import io.fencegate.adapter.spi.ParamValue;
import io.fencegate.adapter.spi.SealOutcome;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.adapter.tck.OnContext;
import io.fencegate.policy.model.Operation;
import io.fencegate.policy.name.OperationName;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Errors that a real server really gives, sorted. */
class PostgresSqlStatesIT {

  private static final ResourceName RESOURCE = new ResourceName("states/one");
  private static final ResourceName OTHER = new ResourceName("states/two");

  private final Vertx vertx = Vertx.vertx();
  private TestDatabase database;
  private TestGateway gateway;

  @RegisterExtension
  final BeforeEachCallback ownDatabase = context -> database = TestDatabase.create(context);

  @BeforeEach
  void open() {
    database.run("CREATE TABLE accounts (id int PRIMARY KEY, parent int, n numeric(4,2))");
    database.run(
        "ALTER TABLE accounts ADD CONSTRAINT later FOREIGN KEY (parent) REFERENCES accounts"
            + " DEFERRABLE INITIALLY DEFERRED");
    database.run("INSERT INTO accounts VALUES (1, NULL, 1)");
    gateway = new TestGateway(vertx, database.settings(Map.of("pool", Map.of("size", 4))));
    gateway.sealed(RESOURCE, 7);
  }

  @AfterEach
  void stop() {
    gateway.close();
    OnContext.await(vertx.close().toCompletionStage().toCompletableFuture());
  }

  @Test
  void whatTheStatementIsRefusedForIsOperationFailed() {
    assertFailed("INSERT INTO accounts VALUES (1)", "23505");
    assertFailed("INSERT INTO accounts VALUES (NULL)", "23502");
    assertFailed("INSERT INTO accounts (id, n) VALUES (2, 12345)", "22003");
    assertFailed("INSERT INTO accounts VALUES ('x'::text::int)", "22P02");
    assertFailed("SELECT 1 / (SELECT count(*) FROM accounts WHERE id < 0)", "22012");
    assertFailed("INSERT INTO no_such_table VALUES (1)", "42P01");
    assertFailed("INSERT INTO accounts VALUES (", "42601");
  }

  @Test
  void constraintThatFailsAtCommitIsADefiniteNo() {
    assertFailed("INSERT INTO accounts VALUES (5, 99)", "23503");
    assertThat(database.column("SELECT id FROM accounts WHERE id = 5")).isEmpty();
  }

  @Test
  void waitingForALockEndsAsBusy() throws SQLException {
    try (Connection other = database.connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("UPDATE accounts SET n = 2 WHERE id = 1");
      Refusal refusal =
          refusal(apply("UPDATE accounts SET n = 3 WHERE id = 1", Duration.ofMillis(800)));
      assertThat(refusal.code()).isEqualTo(RefusalCode.DOWNSTREAM_BUSY);
      assertThat(refusal.sqlState()).isEqualTo("55P03");
      assertThat(refusal.retryable()).isTrue();
      other.rollback();
    }
  }

  @Test
  void slowStatementEndsAsBusyBeforeItsDeadline() {
    Refusal refusal = refusal(apply("SELECT pg_sleep(30)", Duration.ofMillis(800)));
    assertThat(refusal.code()).isEqualTo(RefusalCode.DOWNSTREAM_BUSY);
    assertThat(refusal.certainty()).isEqualTo(Certainty.REJECTED);
  }

  @Test
  void readOnlyDatabaseIsUnavailable() {
    String name = database.column("SELECT current_database()").get(0);
    database.run("ALTER DATABASE " + name + " SET default_transaction_read_only = on");
    try (TestGateway fresh = new TestGateway(vertx, database.settings())) {
      Refusal refusal = refusal(fresh.append(RESOURCE, 7, "a"));
      assertThat(refusal.code()).isEqualTo(RefusalCode.DOWNSTREAM_UNAVAILABLE);
      assertThat(refusal.sqlState()).isEqualTo("25006");
    }
  }

  @Test
  void tooManyConnectionsAreUnavailable() {
    String name = database.column("SELECT current_database()").get(0);
    String role = "limited_" + name;
    database.run("CREATE ROLE " + role + " LOGIN PASSWORD 'pw' CONNECTION LIMIT 0");
    String url = database.url(role, "pw", database.port());
    try (TestGateway fresh = new TestGateway(vertx, database.settings(Map.of("url", url)))) {
      Refusal refusal = refusal(fresh.append(RESOURCE, 7, "a"));
      assertThat(refusal.code()).isEqualTo(RefusalCode.DOWNSTREAM_UNAVAILABLE);
      assertThat(refusal.sqlState()).isEqualTo("53300");
    }
  }

  @Test
  void busyResourceLeavesRoomForOthersAndIsRefusedInTime() {
    gateway.sealed(OTHER, 3);
    List<CompletableFuture<ApplyOutcome>> slow = new ArrayList<>();
    slow.add(
        gateway.start(
            RESOURCE,
            7,
            TestDatabase.appendSlowly(RESOURCE, new FencingToken(7), "slow", "2"),
            TestGateway.PATIENCE));
    await().until(() -> !sleepers().isEmpty());
    IntStream.range(0, 5)
        .forEach(
            i -> slow.add(gateway.startAppend(RESOURCE, 7, "queued" + i, Duration.ofMillis(600))));
    assertThat(gateway.append(OTHER, 3, "passes")).isInstanceOf(ApplyOutcome.Applied.class);
    assertThat(sleepers()).isNotEmpty();
    List<ApplyOutcome> outcomes = slow.stream().map(OnContext::await).toList();
    assertThat(outcomes.get(0)).isInstanceOf(ApplyOutcome.Applied.class);
    assertThat(outcomes.subList(1, outcomes.size()))
        .allMatch(outcome -> refusal(outcome).code() == RefusalCode.DOWNSTREAM_BUSY);
    assertThat(database.log(RESOURCE)).hasSize(1);
  }

  @Test
  void tooFewRowsUndoTheWholeWrite() {
    WriteContent content =
        new WriteContent(
            Map.of(),
            List.of(
                call("INSERT INTO accounts VALUES (:n)", Map.of("n", "int4"), 1),
                call("UPDATE accounts SET n = :n WHERE id = 77", Map.of("n", "int4"), 1)));
    Refusal refusal = refusal(gateway.apply(RESOURCE, 7, content));
    assertThat(refusal.code()).isEqualTo(RefusalCode.OPERATION_FAILED);
    assertThat(refusal.detail()).contains("touched 0 rows");
    assertThat(database.column("SELECT id FROM accounts")).containsExactly("1");
  }

  @Test
  void resultsBeyondTheBoundUndoTheWrite() {
    Refusal refusal =
        refusal(
            apply(
                "INSERT INTO accounts SELECT i + 10 FROM generate_series(1, 20) i"
                    + " RETURNING id, repeat('x', 60000) AS wide",
                TestGateway.PATIENCE));
    assertThat(refusal.code()).isEqualTo(RefusalCode.OPERATION_FAILED);
    assertThat(refusal.detail()).contains("returns more than");
    assertThat(database.column("SELECT id FROM accounts")).containsExactly("1");
  }

  @Test
  void tableThatChangesUnderAPreparedStatementCostsARepeatOnly() {
    String sql = "INSERT INTO accounts (id) SELECT max(id) + 1 FROM accounts RETURNING *";
    assertThat(apply(sql, TestGateway.PATIENCE)).isInstanceOf(ApplyOutcome.Applied.class);
    database.run("ALTER TABLE accounts ADD COLUMN later text");
    ApplyOutcome first = apply(sql, TestGateway.PATIENCE);
    assertThat(refusal(first).code()).isEqualTo(RefusalCode.DOWNSTREAM_BUSY);
    assertThat(refusal(first).certainty()).isEqualTo(Certainty.REJECTED);
    assertThat(apply(sql, TestGateway.PATIENCE)).isInstanceOf(ApplyOutcome.Applied.class);
    assertThat(database.column("SELECT id FROM accounts ORDER BY id"))
        .containsExactly("1", "2", "3");
  }

  @Test
  void concurrentSealsOfOneResourceAllGetTheirAnswer() {
    List<CompletableFuture<SealOutcome>> seals =
        IntStream.range(0, 30).mapToObj(i -> gateway.startSeal(OTHER, 3 + i % 3)).toList();
    List<SealOutcome> outcomes = seals.stream().map(OnContext::await).toList();
    assertThat(outcomes)
        .allMatch(
            outcome ->
                outcome instanceof SealOutcome.Sealed || outcome instanceof SealOutcome.Stale);
    assertThat(database.column("SELECT epoch FROM fencegate.epochs WHERE resource = 'states/two'"))
        .containsExactly("5");
  }

  @Test
  void closingWaitsForWritesUnderWayAndRefusesNewOnes() {
    CompletableFuture<ApplyOutcome> slow =
        gateway.start(
            RESOURCE,
            7,
            TestDatabase.appendSlowly(RESOURCE, new FencingToken(7), "slow", "0.5"),
            TestGateway.PATIENCE);
    await().until(() -> !sleepers().isEmpty());
    gateway.close();
    assertThat(slow).isDone();
    assertThat(OnContext.await(slow)).isInstanceOf(ApplyOutcome.Applied.class);
    assertThat(refusal(gateway.append(RESOURCE, 7, "late")).code()).isEqualTo(RefusalCode.DRAINING);
  }

  private List<String> sleepers() {
    return database.column(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
            + " AND wait_event = 'PgSleep'");
  }

  private static OperationCall call(String sql, Map<String, String> types, long minRows) {
    Operation operation = new Operation(new OperationName("op"), sql, types, minRows);
    Map<String, ParamValue> params =
        types.isEmpty() ? Map.of() : Map.of("n", new ParamValue.Num("9"));
    return new OperationCall(operation, params, "params");
  }

  private ApplyOutcome apply(String sql, Duration patience) {
    WriteContent content = new WriteContent(Map.of(), List.of(call(sql, Map.of(), 0)));
    return OnContext.await(gateway.start(RESOURCE, 7, content, patience));
  }

  private void assertFailed(String sql, String state) {
    Refusal refusal = refusal(apply(sql, TestGateway.PATIENCE));
    assertThat(refusal.sqlState()).as(sql).isEqualTo(state);
    assertThat(refusal.code()).as(sql).isEqualTo(RefusalCode.OPERATION_FAILED);
    assertThat(refusal.certainty()).isEqualTo(Certainty.REJECTED);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import static io.fencegate.adapter.postgres.TestGateway.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.ReconcileOutcome;
import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.adapter.tck.FaultProxy;
import io.fencegate.adapter.tck.LogEntry;
import io.fencegate.adapter.tck.OnContext;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What becomes of a write when the wire or the server breaks at the worst moment. */
class PostgresFaultsIT {

  private static final ResourceName RESOURCE = new ResourceName("faults/one");

  /** COMMIT as a message of its own; READ COMMITTED goes on. */
  private static final String COMMIT = "COMMIT\0";

  private static final Duration SHORT = Duration.ofMillis(1500);
  private static final Duration LONG = Duration.ofSeconds(6);
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final Vertx vertx = Vertx.vertx();
  private TestDatabase database;
  private FaultProxy proxy;
  private TestGateway gateway;

  @RegisterExtension
  final BeforeEachCallback ownDatabase = context -> database = TestDatabase.create(context);

  @BeforeEach
  void connectThroughTheProxy() {
    proxy = join(FaultProxy.start(vertx, "127.0.0.1", database.port()));
    gateway = new TestGateway(vertx, database.settings(Map.of("url", database.url(proxy.port()))));
    gateway.sealed(RESOURCE, 7);
    assertThat(gateway.append(RESOURCE, 7, "before")).isInstanceOf(ApplyOutcome.Applied.class);
  }

  @AfterEach
  void stop() {
    proxy.pass();
    gateway.close();
    join(proxy.close());
    join(vertx.close());
  }

  @Test
  void lostCommitReplyIsResolvedToAppliedExactlyOnce() {
    proxy.swallowRepliesOnceSent(COMMIT);
    ApplyOutcome outcome = OnContext.await(gateway.startAppend(RESOURCE, 7, "lost", LONG));
    assertThat(proxy.hasStruck()).isTrue();
    assertThat(outcome).isInstanceOf(ApplyOutcome.Applied.class);
    assertThat(values()).containsExactly("before", "lost");
    assertThat(states()).containsExactly("applied", "applied");
  }

  @Test
  void lostCommitReplyOfAKeyedWriteIsFoundByItsRepeat() {
    proxy.swallowRepliesOnceSent(COMMIT);
    CompletableFuture<ApplyOutcome> first = keyed("lost");
    ApplyOutcome.Applied applied = (ApplyOutcome.Applied) OnContext.await(first);
    ApplyOutcome.Replayed again = (ApplyOutcome.Replayed) OnContext.await(keyed("lost"));
    assertThat(again.recorded().resultsJson()).isEqualTo(applied.resultsJson());
    assertThat(values()).containsExactly("before", "lost");
  }

  @Test
  void commitThatNeverArrivedIsRejectedAndNeverLandsLater() {
    proxy.holdOnceSent(COMMIT);
    ApplyOutcome outcome = OnContext.await(gateway.startAppend(RESOURCE, 7, "held", LONG));
    assertThat(refusal(outcome).code()).isEqualTo(RefusalCode.DOWNSTREAM_UNAVAILABLE);
    assertThat(refusal(outcome).certainty()).isEqualTo(Certainty.REJECTED);
    proxy.pass();
    await().until(() -> othersInTransaction().isEmpty());
    assertThat(values()).containsExactly("before");
    assertThat(states()).containsExactly("applied", "cancelled");
  }

  @Test
  void connectionCutAtCommitIsSettledEitherWay() {
    proxy.cutOnceSent(COMMIT);
    ApplyOutcome outcome = OnContext.await(gateway.startAppend(RESOURCE, 7, "cut", LONG));
    assertThat(refusal(outcome).certainty()).isEqualTo(Certainty.REJECTED);
    assertThat(values()).containsExactly("before");
  }

  @Test
  void unreachableDatabaseAfterCommitIsUnknownAndReconciledLater() {
    proxy.swallowRepliesOnceSent(COMMIT);
    CompletableFuture<ApplyOutcome> write = gateway.startAppend(RESOURCE, 7, "lost", SHORT);
    await().until(() -> values().contains("lost"));
    proxy.cut();
    ApplyOutcome.Unknown unknown = (ApplyOutcome.Unknown) OnContext.await(write);
    proxy.pass();
    assertThat(gateway.reconcile(unknown.writeId())).isEqualTo(new ReconcileOutcome.Applied());
    assertThat(gateway.reconcile(unknown.writeId())).isEqualTo(new ReconcileOutcome.Applied());
    assertThat(values()).containsExactly("before", "lost");
  }

  @Test
  void reconcilingAnUnknownWriteClosesTheWayForIt() {
    proxy.holdOnceSent(COMMIT);
    CompletableFuture<ApplyOutcome> write = gateway.startAppend(RESOURCE, 7, "held", SHORT);
    await().until(proxy::hasStruck);
    proxy.blackhole();
    ApplyOutcome outcome = OnContext.await(write);
    proxy.pass();
    if (outcome instanceof ApplyOutcome.Unknown unknown) {
      ReconcileOutcome found = gateway.reconcile(unknown.writeId());
      boolean landed = values().contains("held");
      assertThat(found)
          .isEqualTo(landed ? new ReconcileOutcome.Applied() : new ReconcileOutcome.NeverApplied());
    } else {
      assertThat(refusal(outcome).certainty()).isEqualTo(Certainty.REJECTED);
      assertThat(values()).containsExactly("before");
    }
  }

  @Test
  void foreignIdIsNotJudged() {
    assertThat(gateway.reconcile("42")).isInstanceOf(ReconcileOutcome.StillUnknown.class);
    String ancient = "0000000000000001" + "0".repeat(32);
    assertThat(gateway.reconcile(ancient)).isInstanceOf(ReconcileOutcome.StillUnknown.class);
  }

  @Test
  void connectionLostBeforeCommitIsADefiniteNo() {
    proxy.cutOnceSent("SELECT fencegate.record");
    TestGateway second =
        new TestGateway(vertx, database.settings(Map.of("url", database.url(proxy.port()))));
    ApplyOutcome outcome = second.append(RESOURCE, 7, "cut");
    assertThat(refusal(outcome).code()).isEqualTo(RefusalCode.DOWNSTREAM_UNAVAILABLE);
    assertThat(refusal(outcome).certainty()).isEqualTo(Certainty.REJECTED);
    assertThat(states()).containsExactly("applied");
    second.close();
  }

  @Test
  void connectionResetWhileAStatementRunsIsADefiniteNo() {
    CompletableFuture<ApplyOutcome> slow = startSlowly(7, "slow", "2");
    await().until(() -> !sleepers().isEmpty());
    proxy.reset();
    ApplyOutcome outcome = OnContext.await(slow);
    assertThat(refusal(outcome).code()).isEqualTo(RefusalCode.DOWNSTREAM_UNAVAILABLE);
    assertThat(refusal(outcome).certainty()).isEqualTo(Certainty.REJECTED);
    await().until(() -> gateway.append(RESOURCE, 7, "after") instanceof ApplyOutcome.Applied);
    await().until(() -> othersInTransaction().isEmpty());
    assertThat(values()).containsExactly("before", "after");
  }

  @Test
  void serverThatHangsUpBeforeTheLoginIsNamedAsSuch() {
    proxy.cut();
    String url = database.url(proxy.port());
    try (TestGateway fresh = new TestGateway(vertx, database.settings(Map.of("url", url)))) {
      assertThat(fresh.unreachable().orElseThrow())
          .endsWith("127.0.0.1:" + proxy.port() + ": connection closed by the server");
    }
  }

  @Test
  void serverThatSaysNothingIsNamedAsTimedOut() {
    proxy.blackhole();
    Map<String, Object> impatient = Map.of("url", database.url(proxy.port()), "timeout", "300ms");
    try (TestGateway fresh = new TestGateway(vertx, database.settings(impatient))) {
      assertThat(fresh.unreachable().orElseThrow()).endsWith(proxy.port() + ": timed out");
    }
  }

  @Test
  void silentDatabaseBeforeCommitIsADefiniteNoInTime() {
    proxy.blackhole();
    long from = System.nanoTime();
    ApplyOutcome outcome = OnContext.await(gateway.startAppend(RESOURCE, 7, "silent", SHORT));
    assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(SHORT.plus(GRACE));
    assertThat(refusal(outcome).certainty()).isEqualTo(Certainty.REJECTED);
    proxy.pass();
    assertThat(gateway.append(RESOURCE, 7, "after")).isInstanceOf(ApplyOutcome.Applied.class);
    assertThat(values()).containsExactly("before", "after");
  }

  @Test
  void killedBackendInTheMiddleIsADefiniteNo() {
    CompletableFuture<ApplyOutcome> slow = startSlowly(7, "slow", "20");
    await().until(() -> !sleepers().isEmpty());
    database.run("SELECT pg_terminate_backend(" + sleepers().get(0) + ")");
    ApplyOutcome outcome = OnContext.await(slow);
    assertThat(refusal(outcome).code()).isEqualTo(RefusalCode.DOWNSTREAM_UNAVAILABLE);
    assertThat(refusal(outcome).certainty()).isEqualTo(Certainty.REJECTED);
    assertThat(gateway.append(RESOURCE, 7, "after")).isInstanceOf(ApplyOutcome.Applied.class);
    assertThat(values()).containsExactly("before", "after");
  }

  @Test
  void raiseWaitsForAnOlderWriteThatIsStillOpen() {
    CompletableFuture<ApplyOutcome> slow = startSlowly(7, "slow", "1");
    await().until(() -> !sleepers().isEmpty());
    gateway.sealed(RESOURCE, 8);
    assertThat(values()).containsExactly("before", "slow");
    assertThat(OnContext.await(slow)).isInstanceOf(ApplyOutcome.Applied.class);
    assertThat(gateway.append(RESOURCE, 7, "zombie")).isInstanceOf(ApplyOutcome.Stale.class);
  }

  @Test
  void openWriteShowsAsInFlightAndHoldsTheDoorOfItsKey() {
    CompletableFuture<ApplyOutcome> slow =
        gateway.startKeyed(
            RESOURCE,
            7,
            TestDatabase.appendSlowly(RESOURCE, new FencingToken(7), "slow", "1"),
            "k");
    await().until(() -> !sleepers().isEmpty());
    assertThat(lookUp()).isEqualTo(new RecordedWrite.InFlight());
    ApplyOutcome duplicate = OnContext.await(keyed("slow"));
    assertThat(refusal(duplicate).code()).isEqualTo(RefusalCode.IN_FLIGHT);
    RecordedWrite closed =
        granted(
            gateway
                .context()
                .run(
                    () ->
                        gateway
                            .adapter()
                            .records()
                            .orElseThrow()
                            .close(
                                TestGateway.scope(RESOURCE, "k"),
                                Duration.ofHours(3),
                                gateway.deadline(LONG))));
    assertThat(closed).isInstanceOf(RecordedWrite.Applied.class);
    assertThat(OnContext.await(slow)).isInstanceOf(ApplyOutcome.Applied.class);
  }

  @Test
  void refusedConnectionMeansThatNothingWasSent() {
    int port = proxy.port();
    String url = database.url(port);
    join(proxy.close());
    try (TestGateway fresh = new TestGateway(vertx, database.settings(Map.of("url", url)))) {
      ApplyOutcome outcome = fresh.append(RESOURCE, 7, "nobody");
      assertThat(refusal(outcome).code()).isEqualTo(RefusalCode.UPSTREAM_UNREACHABLE);
      assertThat(fresh.unreachable())
          .contains("no connection to the database at 127.0.0.1:" + port + ": connection refused");
    }
  }

  @Test
  void writeInDoubtIsSettledEvenWhileTheAdapterCloses() {
    proxy.swallowRepliesOnceSent(COMMIT);
    CompletableFuture<ApplyOutcome> write = gateway.startAppend(RESOURCE, 7, "lost", SHORT);
    await().until(() -> values().contains("lost"));
    gateway.close();
    assertThat(write).isDone();
    assertThat(OnContext.await(write)).isInstanceOf(ApplyOutcome.Applied.class);
  }

  private CompletableFuture<ApplyOutcome> keyed(String value) {
    return gateway.startKeyed(
        RESOURCE, 7, TestDatabase.append(RESOURCE, new FencingToken(7), value), "k");
  }

  private CompletableFuture<ApplyOutcome> startSlowly(long token, String value, String seconds) {
    return gateway.start(
        RESOURCE,
        token,
        TestDatabase.appendSlowly(RESOURCE, new FencingToken(token), value, seconds),
        TestGateway.PATIENCE);
  }

  private RecordedWrite lookUp() {
    return granted(
        gateway
            .context()
            .run(
                () ->
                    gateway
                        .adapter()
                        .records()
                        .orElseThrow()
                        .lookUp(TestGateway.scope(RESOURCE, "k"), gateway.deadline(LONG))));
  }

  private static RecordedWrite granted(Ruling<RecordedWrite> ruling) {
    return ((Ruling.Granted<RecordedWrite>) ruling).value();
  }

  private List<String> values() {
    return database.log(RESOURCE).stream().map(LogEntry::value).toList();
  }

  private List<String> states() {
    return database.column("SELECT state FROM fencegate.writes ORDER BY at");
  }

  private List<String> sleepers() {
    return database.column(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
            + " AND wait_event = 'PgSleep'");
  }

  private List<String> othersInTransaction() {
    return database.column(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
            + " AND pid <> pg_backend_pid() AND xact_start IS NOT NULL");
  }

  private static <T> T join(Future<T> future) {
    return OnContext.await(future.toCompletionStage().toCompletableFuture());
  }
}

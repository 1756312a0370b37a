/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.LeaseTtl;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.store.StoreException.Kind;
import io.fencegate.coordination.store.StoreFixture;
import io.fencegate.coordination.store.Value;
import io.fencegate.coordination.store.WatchEvent;
import io.fencegate.coordination.store.WatchListener;
import io.fencegate.coordination.store.WatchRecorder;
import io.fencegate.coordination.store.WatchScope;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only the embedded store promises. */
class EmbeddedStoreTest extends StoreFixture {

  private static final int WAITING = 300;
  private static final int GROUP = 100;
  private static final long HISTORY_BYTES = 100_000;
  private static final Bounds SMALL =
      new Bounds(WAITING, 1 << 21, GROUP, 16, HISTORY_BYTES, 2 * HISTORY_BYTES, 10_000);

  @TempDir Path directory;
  private final TestClocks clocks = new TestClocks();
  private final AtomicReference<UnaryOperator<Disk>> wrapping =
      new AtomicReference<>(UnaryOperator.identity());
  private Bounds bounds = SMALL;

  @Override
  protected CoordinationStore openStore(Vertx vertx) {
    return EmbeddedStore.openNow(
        vertx, directory, clocks, bounds, disk -> wrapping.get().apply(disk));
  }

  private EmbeddedStore embedded() {
    return (EmbeddedStore) store;
  }

  private void closeAndReopen() {
    await(store.close());
    reopen();
  }

  // Durability

  @Test
  void everythingIsThereAfterReopening() {
    LeaseHandle lease = await(store.grant(600));
    run(put("a", "1"), put("b", "1", lease));
    run(new Op.Put(key("bytes"), Value.of(new byte[] {0, -1, 0}), LeaseHandle.NONE));
    run(new Op.Put(key("empty"), Value.EMPTY, LeaseHandle.NONE));
    run(touch("a", lease), put("gone", "1"));
    long last = run(delete("gone")).revision();
    Map<?, ?> before = snapshot();
    closeAndReopen();
    assertThat(snapshot()).isEqualTo(before);
    assertThat(revision()).isEqualTo(last);
    assertThat(await(store.timeToLive(lease))).isInstanceOf(LeaseTtl.Alive.class);
  }

  @Test
  void revisionsAndLeaseIdsAreNeverGivenTwice() {
    LeaseHandle lease = await(store.grant(1));
    long revision = run(put("k", "1", lease)).revision();
    clocks.advance(Duration.ofSeconds(2));
    assertThat(read("k")).isEmpty();
    closeAndReopen();
    assertThat(await(store.grant(1)).id()).isGreaterThan(lease.id());
    assertThat(run(put("k", "1")).revision()).isGreaterThan(revision + 1);
  }

  @Test
  void aRestartGivesLeasesTheirWholeTimeAgain() {
    LeaseHandle lease = await(store.grant(100));
    run(put("k", "1", lease));
    clocks.advance(Duration.ofSeconds(90));
    closeAndReopen();
    clocks.advance(Duration.ofSeconds(90));
    assertThat(read("k")).isPresent();
    clocks.advance(Duration.ofSeconds(11));
    assertThat(read("k")).isEmpty();
    closeAndReopen();
    assertThat(read("k")).isEmpty();
  }

  // Leases

  @Test
  void aBatchJudgedAfterTheDeadlineNeverSeesTheKey() {
    LeaseHandle lease = await(store.grant(60));
    run(put("k", "1", lease));
    clocks.advance(Duration.ofSeconds(59));
    assertThat(await(store.timeToLive(lease))).isEqualTo(new LeaseTtl.Alive(0));
    assertThat(read("k")).isPresent();
    clocks.advance(Duration.ofSeconds(1));
    assertThat(holds(absent("k"))).isTrue();
    assertThat(await(store.timeToLive(lease))).isEqualTo(new LeaseTtl.Gone());
  }

  @Test
  void leasesRunOutWithoutTraffic() {
    LeaseHandle one = await(store.grant(60));
    LeaseHandle two = await(store.grant(61));
    long last = run(put("r/a", "1", one), put("r/b", "1", two)).revision();
    WatchRecorder watch = WatchRecorder.open(vertx, store, all(), last + 1);
    clocks.advance(Duration.ofSeconds(62));
    assertThat(watch.awaitEvents(2))
        .containsExactly(
            new WatchEvent.Deleted(key("r/a"), last + 1),
            new WatchEvent.Deleted(key("r/b"), last + 1));
  }

  // One owner

  @Test
  void aSecondOpenerIsRefused() {
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> await(EmbeddedStore.open(vertx, directory, clocks)))
          .isInstanceOf(CompletionException.class)
          .cause()
          .isInstanceOf(EmbeddedStoreException.class)
          .hasMessageContaining("in use by another");
    }
    run(put("k", "1"));
    closeAndReopen();
    assertThat(read("k")).isPresent();
  }

  @Test
  void aFileWithoutAnIdGetsOneForGood() throws SQLException {
    run(put("k", "1"));
    await(store.close());
    try (Connection connection = open();
        Statement statement = connection.createStatement()) {
      statement.execute("DELETE FROM meta WHERE name = 'cluster_id'");
      statement.execute("PRAGMA user_version = 1");
    }
    reopen();
    OptionalLong given = await(store.health()).clusterId();
    assertThat(given).isPresent();
    assertThat(read("k")).isPresent();
    await(store.close());
    reopen();
    assertThat(await(store.health()).clusterId()).isEqualTo(given);
  }

  @Test
  void aFileOfAnotherVersionIsRefused() throws SQLException {
    await(store.close());
    execute("PRAGMA user_version = 99");
    assertThatThrownBy(() -> openStore(vertx))
        .isInstanceOf(EmbeddedStoreException.class)
        .hasMessageContaining("schema version 99, expected 2");
    execute("PRAGMA user_version = 2");
    reopen();
  }

  @Test
  void aFileThatContradictsItselfIsRefused() throws SQLException {
    long last = run(put("k", "1")).revision();
    await(store.close());
    execute("UPDATE meta SET value = 1 WHERE name = 'revision'");
    assertThatThrownBy(() -> openStore(vertx))
        .isInstanceOf(EmbeddedStoreException.class)
        .hasMessageContaining("contradicts itself");
    execute("UPDATE meta SET value = " + last + " WHERE name = 'revision'");
    reopen();
  }

  @Test
  void filesAreForTheOwnerOnly() throws Exception {
    run(put("k", "1"));
    try (var files = Files.list(directory)) {
      assertThat(files.filter(Files::isRegularFile))
          .isNotEmpty()
          .allMatch(
              file -> {
                try {
                  return PosixFilePermissions.toString(Files.getPosixFilePermissions(file))
                      .equals("rw-------");
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }

  // Groups and bounds

  @Test
  void waitingBatchesShareOneSqliteTransaction() throws SQLException {
    long before;
    List<Future<BatchResult>> all = new ArrayList<>();
    try (Connection operator = open();
        Statement statement = operator.createStatement()) {
      before = embedded().diskWrites();
      statement.execute("BEGIN IMMEDIATE");
      for (int i = 0; i < 200; i++) {
        all.add(store.commit(batch(always(put("k/" + i, "1")))));
      }
      statement.execute("ROLLBACK");
    }
    List<BatchResult> results = awaitAll(all);
    // The first group holds whatever had come when it was taken; the rest fits two or three.
    assertThat(embedded().diskWrites() - before).isLessThanOrEqualTo(4);
    for (int i = 1; i < results.size(); i++) {
      assertThat(results.get(i).revision()).isEqualTo(results.get(i - 1).revision() + 1);
    }
  }

  @Test
  void readsNeedNoSqliteTransaction() {
    run(put("k", "1"));
    long before = embedded().diskWrites();
    read("k");
    await(store.range(all(), 10));
    assertThat(embedded().diskWrites()).isEqualTo(before);
  }

  @Test
  void aFullQueueRefusesDefinitely() throws SQLException {
    List<Future<BatchResult>> all = new ArrayList<>();
    try (Connection operator = open();
        Statement statement = operator.createStatement()) {
      statement.execute("BEGIN IMMEDIATE");
      // The store gives up on a group every two seconds; on a slow machine that makes room.
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .until(
              () -> {
                for (int i = 0; i < WAITING + GROUP; i++) {
                  all.add(store.commit(batch(always(put("k/" + all.size(), "1")))));
                }
                return all.stream().anyMatch(EmbeddedStoreTest::isOverloaded);
              });
      statement.execute("ROLLBACK");
    }
    Future.join(all).toCompletionStage().handle((r, e) -> true).toCompletableFuture().join();
    assertThat(all.stream().filter(Future::failed))
        .allSatisfy(it -> assertThat(failure(it).kind()).isEqualTo(Kind.DEFINITE));
    assertThat(snapshot()).hasSize((int) all.stream().filter(Future::succeeded).count());
  }

  private static boolean isOverloaded(Future<BatchResult> answer) {
    return answer.failed() && String.valueOf(answer.cause().getMessage()).contains("overloaded");
  }

  @Test
  void aLockedFileRefusesDefinitelyAndLeavesNoTrace() throws SQLException {
    await(store.close());
    bounds = new Bounds(WAITING, 1 << 21, GROUP, 16, HISTORY_BYTES, 2 * HISTORY_BYTES, 100);
    reopen();
    LeaseHandle lease = await(store.grant(60));
    long last = run(put("k", "1", lease), put("other", "1")).revision();
    try (Connection operator = open();
        Statement statement = operator.createStatement()) {
      statement.execute("BEGIN IMMEDIATE");
      assertRefused(
          Kind.DEFINITE,
          batch(
              always(put("k", "2"), delete("other"), put("new", "1")),
              always(put("another", "1", lease))));
      assertThat(failure(store.grant(60)).kind()).isEqualTo(Kind.DEFINITE);
      clocks.advance(Duration.ofSeconds(61));
      assertThat(failure(store.range(all(), 10)).kind()).isEqualTo(Kind.DEFINITE);
      statement.execute("ROLLBACK");
    }
    assertThat(snapshot()).containsOnlyKeys(key("other"));
    assertThat(revision()).isEqualTo(last + 1);
    assertThat(await(store.grant(60)).id()).isEqualTo(lease.id() + 1);
  }

  // A disk of which nothing is known

  @Test
  void aCommitOfWhichNothingIsKnownClosesTheStoreAndReopeningTellsTheTruth() {
    run(put("before", "1"));
    await(store.close());
    wrapping.set(FailingAfterCommit::new);
    reopen();
    WatchRecorder watch = WatchRecorder.open(vertx, store, all(), revision() + 1);
    revision(); // Once this is answered the watch is open.
    assertThat(failure(store.commit(batch(always(put("doubt", "1"))))).kind())
        .isEqualTo(Kind.INDEFINITE);
    assertThat(watch.awaitLoss()).contains("closed itself");
    await(store.close());
    StoreException later = failure(store.commit(batch(always(put("later", "1")))));
    assertThat(later.kind()).isEqualTo(Kind.DEFINITE);
    assertThat(later).hasMessageContaining("closed itself");
    wrapping.set(UnaryOperator.identity());
    reopen();
    assertThat(snapshot()).containsOnlyKeys(key("before"), key("doubt"));
    assertThat(watch.events()).isEmpty();
  }

  /** The real disk, whose answer to a commit gets lost. */
  private record FailingAfterCommit(Disk disk) implements Disk {
    @Override
    public void write(Changes changes, long compactedRevision) throws DiskException {
      disk.write(changes, compactedRevision);
      throw new DiskException(
          DiskException.Effect.UNKNOWN, "answer lost", new SQLException("answer lost"));
    }

    @Override
    public void close() throws DiskException {
      disk.close();
    }
  }

  // Watches

  @Test
  void aWatchThatNeedsCompactedHistoryIsLost() {
    long first = run(put("k", "0")).revision();
    for (int i = 1; i <= 20; i++) {
      run(put("k", "" + i));
    }
    assertThat(WatchRecorder.open(vertx, store, all(), first).awaitLoss())
        .contains("asked for " + first);
    long last = revision();
    assertThat(WatchRecorder.open(vertx, store, all(), last - 5).awaitEvents(6)).hasSize(6);
  }

  @Test
  void historySurvivesReopeningWithinItsBounds() throws SQLException {
    for (int i = 1; i <= 40; i++) {
      run(put("k", "" + i));
    }
    run(delete("k"));
    long last = revision();
    closeAndReopen();
    List<WatchEvent> events = WatchRecorder.open(vertx, store, all(), last - 3).awaitEvents(4);
    assertThat(events).hasSize(4).last().isEqualTo(new WatchEvent.Deleted(key("k"), last));
    run(put("k", "1"));
    try (Connection operator = open();
        Statement statement = operator.createStatement();
        var rows = statement.executeQuery("SELECT count(*) FROM history")) {
      assertThat(rows.getInt(1)).isLessThanOrEqualTo(18);
    }
  }

  @Test
  void aSlowListenerIsLostAndCostsBoundedMemory() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    WatchRecorder slow = WatchRecorder.open(vertx, store, all(), revision() + 1);
    slow.blockUntil(release);
    Value large = Value.of(new byte[10_000]);
    // From a thread of its own, hence on another event loop than the one that waits.
    Runnable writes =
        () -> {
          for (int i = 0; i < 40; i++) {
            run(new Op.Put(key("k"), large, LeaseHandle.NONE));
          }
        };
    CompletableFuture.runAsync(writes).get(60, TimeUnit.SECONDS);
    release.countDown();
    assertThat(slow.awaitLoss()).contains("slower");
    assertThat(slow.events()).hasSizeLessThan(20);
  }

  @Test
  void answersComeOnTheCallersContextAfterTheWatchWasTold() throws Exception {
    Context context = vertx.getOrCreateContext();
    List<String> order = new CopyOnWriteArrayList<>();
    CompletableFuture<Void> done = new CompletableFuture<>();
    long from = revision() + 1;
    context.runOnContext(
        v -> {
          store.watch(
              all(),
              from,
              WatchScope.ALL,
              new WatchListener() {
                @Override
                public void changed(List<WatchEvent> events) {
                  order.add("told on caller's context: " + (Vertx.currentContext() == context));
                }

                @Override
                public void lost(String reason) {}
              });
          store
              .commit(batch(always(put("k", "1"))))
              .onComplete(
                  r -> {
                    order.add(
                        "answered on caller's context: " + (Vertx.currentContext() == context));
                    done.complete(null);
                  });
        });
    done.get(20, TimeUnit.SECONDS);
    assertThat(order)
        .containsExactly("told on caller's context: true", "answered on caller's context: true");
  }

  @Test
  void whatWasAcceptedBeforeClosingIsAnswered() {
    List<Future<BatchResult>> all = new ArrayList<>();
    for (int i = 0; i < 250; i++) {
      all.add(store.commit(batch(always(put("k/" + i, "1")))));
    }
    await(store.close());
    assertThat(awaitAll(all)).hasSize(250);
    reopen();
    assertThat(snapshot()).hasSize(250).extractingByKey(key("k/249")).isInstanceOf(Entry.class);
  }

  private Connection open() throws SQLException {
    return DriverManager.getConnection("jdbc:sqlite:" + directory.resolve(SqliteDisk.FILE));
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = open();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}

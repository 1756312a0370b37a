/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.embedded.EmbeddedStore;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.MemberResult;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.name.HolderId;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.RequestId;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.Generation;
import io.fencegate.policy.token.LeaseId;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The table of lock transactions, generated: every subset of what can stand in the way of an
 * operation is laid out for real. It takes effect if and only if nothing does; otherwise no key
 * changes, and what stands there is answered.
 */
class LockTransactionsTableTest {

  /** What may be in the coordinator when the operation arrives. */
  private enum Obstacle {
    LOCK_OF_MINE,
    LOCK_OF_ANOTHER,
    LOCK_OF_AN_OLDER_GENERATION,
    LOCK_MOVED_SINCE_READ,
    SOMEBODY_WAITS,
    RESERVED,
    REQUEST_KNOWN
  }

  private static final Generation GENERATION = new Generation(3);
  private static final LeaseId MINE = LeaseId.of(new byte[LeaseId.BYTES]);
  private static final LeaseId ANOTHERS =
      LeaseId.of("0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
  private static final TtlClass TTL = TtlClass.atLeast(Duration.ofSeconds(30));

  @TempDir Path folder;
  private final Keyspace keys = new Keyspace("table");
  private Vertx vertx;
  private CoordinationStore store;
  private Map<TtlClass, Bucket> buckets;

  @BeforeEach
  void open() {
    vertx = Vertx.vertx();
    store =
        await(
            EmbeddedStore.open(
                vertx,
                folder,
                () -> new ClockReading(System.nanoTime(), System.currentTimeMillis())));
    buckets = new HashMap<>();
    for (TtlClass each : Set.of(TTL, TtlClass.atLeast(Duration.ofMinutes(2)))) {
      LeaseHandle lease = await(store.grant(each.seconds()));
      buckets.put(each, new Bucket(lease, each, 0));
    }
  }

  @AfterEach
  void close() {
    await(store.close());
    await(vertx.close());
  }

  /** A row of the table: an operation and which obstacles stop it. */
  private record Row(String name, Set<Obstacle> needed, Set<Obstacle> stoppedBy) {

    boolean takesEffect(Set<Obstacle> present) {
      return present.containsAll(needed) && present.stream().noneMatch(stoppedBy::contains);
    }
  }

  private static final List<Row> ROWS =
      List.of(
          new Row(
              "acquire",
              Set.of(),
              Set.of(
                  Obstacle.LOCK_OF_MINE,
                  Obstacle.LOCK_OF_ANOTHER,
                  Obstacle.LOCK_OF_AN_OLDER_GENERATION,
                  Obstacle.SOMEBODY_WAITS,
                  Obstacle.RESERVED,
                  Obstacle.REQUEST_KNOWN)),
          new Row("renew", Set.of(Obstacle.LOCK_OF_MINE), Set.of(Obstacle.LOCK_MOVED_SINCE_READ)),
          new Row("release", Set.of(Obstacle.LOCK_OF_MINE), Set.of()));

  private static List<Set<Obstacle>> situations() {
    List<Set<Obstacle>> all = new ArrayList<>();
    Obstacle[] obstacles = Obstacle.values();
    for (int bits = 0; bits < 1 << obstacles.length; bits++) {
      Set<Obstacle> present = new TreeSet<>();
      for (int i = 0; i < obstacles.length; i++) {
        if ((bits >> i & 1) == 1) {
          present.add(obstacles[i]);
        }
      }
      long locks =
          present.stream()
              .filter(
                  it ->
                      it == Obstacle.LOCK_OF_MINE
                          || it == Obstacle.LOCK_OF_ANOTHER
                          || it == Obstacle.LOCK_OF_AN_OLDER_GENERATION)
              .count();
      if (locks == 1 || (locks == 0 && !present.contains(Obstacle.LOCK_MOVED_SINCE_READ))) {
        all.add(present);
      }
    }
    return all;
  }

  @TestFactory
  Stream<DynamicTest> takesEffectOnlyWhereNothingStandsInTheWay() {
    return ROWS.stream()
        .map(
            row ->
                DynamicTest.dynamicTest(
                    row.name(),
                    () -> {
                      int number = 0;
                      for (Set<Obstacle> present : situations()) {
                        check(row, present, resource(row.name() + "/" + number++));
                      }
                    }));
  }

  private void check(Row row, Set<Obstacle> present, ResourceName resource) {
    long readRevision = arrange(present, resource);
    Map<Key, Entry> before = snapshot(resource);
    MemberResult result = commit(transaction(row, resource, readRevision));
    Map<Key, Entry> after = snapshot(resource);
    String which = row.name() + " with " + present;
    assertThat(result.held()).as(which).isEqualTo(row.takesEffect(present));
    if (!result.held()) {
      assertThat(after).as(which).isEqualTo(before);
      assertThat(result.entry(0))
          .as("the lock is answered by " + which)
          .isEqualTo(Optional.ofNullable(before.get(keys.lock(resource))));
      return;
    }
    Entry lock = after.get(keys.lock(resource));
    switch (row.name()) {
      case "acquire" -> {
        assertThat(lock.createRevision()).isEqualTo(lock.modRevision());
        assertThat(after.get(requestKey(resource)).modRevision())
            .as("the request's revision is the lock's create revision")
            .isEqualTo(lock.createRevision());
      }
      case "renew" -> {
        Entry old = before.get(keys.lock(resource));
        assertThat(lock.createRevision()).isEqualTo(old.createRevision());
        assertThat(lock.value()).isEqualTo(old.value());
        assertThat(lock.modRevision()).isGreaterThan(old.modRevision());
      }
      default -> assertThat(lock).isNull();
    }
  }

  private Transaction transaction(Row row, ResourceName resource, long readRevision) {
    return switch (row.name()) {
      case "acquire" -> new AcquireTransaction(keys, request(resource), MINE, 0);
      case "renew" ->
          new RenewTransaction(
              keys, new RenewTransaction.Target(resource, MINE.proof(), readRevision, 0), TTL);
      default -> new ReleaseTransaction(keys, resource, MINE.proof());
    };
  }

  /** Lays it out and answers the lock's modification revision as a renewal would have read it. */
  private long arrange(Set<Obstacle> present, ResourceName resource) {
    long read = 0;
    for (Obstacle obstacle : present) {
      switch (obstacle) {
        case LOCK_OF_MINE -> read = putLock(resource, MINE, GENERATION);
        case LOCK_OF_ANOTHER -> read = putLock(resource, ANOTHERS, GENERATION);
        case LOCK_OF_AN_OLDER_GENERATION -> read = putLock(resource, MINE, new Generation(2));
        case LOCK_MOVED_SINCE_READ -> run(new Op.Touch(keys.lock(resource), LeaseHandle.NONE));
        case SOMEBODY_WAITS ->
            put(keys.place(resource, Principal.ANONYMOUS, RequestId.parse("somebody").orThrow()));
        case RESERVED -> put(keys.reserve(resource));
        case REQUEST_KNOWN -> put(requestKey(resource));
      }
    }
    return read;
  }

  private long putLock(ResourceName resource, LeaseId owner, Generation generation) {
    LockRecord record = new LockRecord(owner.proof(), generation, 30, 0, HolderId.UNNAMED, "{}");
    return run(new Op.Put(keys.lock(resource), record.encode(), LeaseHandle.NONE)).revision();
  }

  private void put(Key key) {
    run(new Op.Put(key, Value.of("x"), LeaseHandle.NONE));
  }

  private BatchResult run(Op op) {
    return await(
        store.commit(
            new Batch(
                List.of(), List.of(new Member(List.of(), List.of(op), List.of())), List.of())));
  }

  private MemberResult commit(Transaction transaction) {
    Member member = transaction.build(GENERATION, buckets);
    Batch batch = new Batch(List.of(), List.of(member), List.of());
    return ((BatchResult.Committed) await(store.commit(batch))).members().get(0);
  }

  private Map<Key, Entry> snapshot(ResourceName resource) {
    Map<Key, Entry> found = new TreeMap<>();
    List<Key> places =
        List.of(
            keys.lock(resource),
            requestKey(resource),
            keys.reserve(resource),
            keys.epoch(resource),
            keys.place(resource, Principal.ANONYMOUS, RequestId.parse("somebody").orThrow()));
    for (Key key : places) {
      Member look = new Member(List.of(), List.of(new Op.Get(key)), List.of());
      Batch batch = new Batch(List.of(), List.of(look), List.of());
      ((BatchResult.Committed) await(store.commit(batch)))
          .members()
          .get(0)
          .entry(0)
          .ifPresent(entry -> found.put(key, entry));
    }
    return found;
  }

  private Key requestKey(ResourceName resource) {
    return keys.request(resource, Principal.ANONYMOUS, RequestId.parse("r").orThrow());
  }

  private static AcquireRequest request(ResourceName resource) {
    return new AcquireRequest(
        resource,
        Principal.ANONYMOUS,
        RequestId.parse("r").orThrow(),
        HolderId.UNNAMED,
        Duration.ofSeconds(30),
        "{}",
        Duration.ofMinutes(2));
  }

  private static ResourceName resource(String name) {
    return ResourceName.parse(name).orThrow();
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.embedded.EmbeddedStore;
import io.fencegate.coordination.key.Attempt;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.key.WaitRecord;
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
import io.fencegate.coordination.store.OpResult;
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
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The table of lock transactions, generated: every combination of what can stand in the way of an
 * operation is laid out for real. It takes effect if and only if nothing does, and then does what
 * its row says and nothing else; otherwise no key changes, and what stands there is answered.
 */
class LockTransactionsTableTest {

  /** What may be in the coordinator when the operation arrives, in the order in which it came. */
  private enum Fact {
    LOCK_OF_MINE,
    LOCK_OF_ANOTHER,
    LOCK_OF_AN_OLDER_GENERATION,
    LOCK_MOVED_SINCE_READ,
    OTHER_WAITS_BEFORE,
    OWN_PLACE,
    OWN_PLACE_OF_EARLIER_CALL,
    OTHER_WAITS_BEHIND,
    RESERVED,
    REQUEST_KNOWN
  }

  /** What an operation may read. */
  private enum Look {
    LOCK,
    REQUEST,
    OWN,
    HEAD
  }

  private static final Set<Fact> LOCKS =
      EnumSet.of(Fact.LOCK_OF_MINE, Fact.LOCK_OF_ANOTHER, Fact.LOCK_OF_AN_OLDER_GENERATION);
  private static final Set<Fact> OWN_PLACES =
      EnumSet.of(Fact.OWN_PLACE, Fact.OWN_PLACE_OF_EARLIER_CALL);

  private static final Generation GENERATION = new Generation(3);
  private static final LeaseId MINE = LeaseId.of(new byte[LeaseId.BYTES]);
  private static final LeaseId ANOTHERS =
      LeaseId.of("0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
  private static final Attempt ATTEMPT = new Attempt(77);
  private static final Attempt EARLIER = new Attempt(66);
  private static final TtlClass TTL = TtlClass.atLeast(Duration.ofSeconds(30));
  private static final TtlClass DEDUP = TtlClass.atLeast(Duration.ofMinutes(2));

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
    for (TtlClass each : Set.of(TTL, DEDUP, PlaceTransaction.TTL)) {
      LeaseHandle lease = await(store.grant(3600));
      buckets.put(each, new Bucket(lease, each, 0));
    }
  }

  @AfterEach
  void close() {
    await(store.close());
    await(vertx.close());
  }

  /** How the coordinator was laid out. */
  private record Laid(
      ResourceName resource, Set<Fact> facts, Map<Key, Entry> entries, long lockReadAt) {}

  /**
   * A row of the table.
   *
   * @param needed what has to be there
   * @param stoppedBy what must not be there
   * @param sees what it answers where it took effect, behind its writes
   * @param otherwise what it answers where it did not
   */
  private record Row(
      String name,
      Set<Fact> needed,
      Set<Fact> stoppedBy,
      List<Look> sees,
      List<Look> otherwise,
      Function<Laid, Transaction> transaction) {

    boolean takesEffect(Set<Fact> present) {
      return present.containsAll(needed) && present.stream().noneMatch(stoppedBy::contains);
    }
  }

  private static final List<Look> AROUND = List.of(Look.LOCK, Look.HEAD);
  private static final List<Look> STANDING = List.of(Look.REQUEST, Look.OWN);

  private List<Row> rows() {
    return List.of(
        new Row(
            "acquire",
            Set.of(),
            EnumSet.complementOf(EnumSet.of(Fact.LOCK_MOVED_SINCE_READ)),
            List.of(),
            List.of(Look.LOCK, Look.REQUEST, Look.OWN, Look.HEAD),
            laid -> new AcquireTransaction(keys, award(laid), 0)),
        new Row(
            "enqueue",
            Set.of(),
            Set.of(Fact.REQUEST_KNOWN, Fact.OWN_PLACE, Fact.OWN_PLACE_OF_EARLIER_CALL),
            AROUND,
            STANDING,
            laid -> new PlaceTransaction.Enqueue(keys, request(laid.resource()), ATTEMPT)),
        new Row(
            "adopt",
            Set.of(Fact.OWN_PLACE_OF_EARLIER_CALL),
            Set.of(),
            AROUND,
            STANDING,
            laid ->
                new PlaceTransaction.Adopt(
                    keys, request(laid.resource()), ATTEMPT, EARLIER, createdAt(laid, Look.OWN))),
        new Row(
            "keep waiting",
            Set.of(Fact.OWN_PLACE),
            Set.of(),
            AROUND,
            STANDING,
            laid ->
                new PlaceTransaction.Keep(
                    keys, request(laid.resource()), ATTEMPT, modifiedAt(laid, Look.OWN))),
        new Row(
            "grant",
            Set.of(Fact.OWN_PLACE),
            Set.of(
                Fact.LOCK_OF_MINE,
                Fact.LOCK_OF_ANOTHER,
                Fact.LOCK_OF_AN_OLDER_GENERATION,
                Fact.OTHER_WAITS_BEFORE,
                Fact.RESERVED,
                Fact.REQUEST_KNOWN),
            List.of(),
            List.of(Look.LOCK, Look.REQUEST, Look.HEAD, Look.OWN),
            laid ->
                new GrantTransaction(
                    keys, award(laid), ATTEMPT, Math.max(1, createdAt(laid, Look.OWN)), 0)),
        new Row(
            "cancel",
            Set.of(Fact.OWN_PLACE),
            Set.of(),
            List.of(),
            STANDING,
            laid ->
                new CancelTransaction(
                    keys, laid.resource(), Principal.ANONYMOUS, requestId("r"), ATTEMPT)),
        new Row(
            "renew",
            Set.of(Fact.LOCK_OF_MINE),
            Set.of(Fact.LOCK_MOVED_SINCE_READ),
            List.of(),
            List.of(Look.LOCK),
            laid ->
                new RenewTransaction(
                    keys,
                    new RenewTransaction.Target(
                        laid.resource(), MINE.proof(), laid.lockReadAt(), 0),
                    TTL)),
        new Row(
            "release",
            Set.of(Fact.LOCK_OF_MINE),
            Set.of(),
            List.of(),
            List.of(Look.LOCK),
            laid -> new ReleaseTransaction(keys, laid.resource(), MINE.proof())),
        new Row(
            "give back",
            Set.of(Fact.LOCK_OF_MINE),
            Set.of(Fact.LOCK_MOVED_SINCE_READ),
            List.of(),
            List.of(Look.LOCK),
            laid ->
                new GiveBackTransaction(keys, laid.resource(), MINE.proof(), laid.lockReadAt())),
        new Row(
            "claim",
            Set.of(Fact.LOCK_OF_MINE),
            Set.of(Fact.LOCK_MOVED_SINCE_READ),
            List.of(Look.LOCK),
            List.of(Look.LOCK),
            laid ->
                new ClaimTransaction(
                    keys,
                    laid.resource(),
                    MINE.proof(),
                    new Entry(
                        keys.lock(laid.resource()),
                        Value.EMPTY,
                        laid.lockReadAt(),
                        laid.lockReadAt(),
                        LeaseHandle.NONE))));
  }

  /** Every combination that can be. */
  private static List<Set<Fact>> situations() {
    List<Set<Fact>> all = new ArrayList<>();
    Fact[] facts = Fact.values();
    for (int bits = 0; bits < 1 << facts.length; bits++) {
      Set<Fact> present = EnumSet.noneOf(Fact.class);
      for (int i = 0; i < facts.length; i++) {
        if ((bits >> i & 1) == 1) {
          present.add(facts[i]);
        }
      }
      boolean moved = present.contains(Fact.LOCK_MOVED_SINCE_READ);
      boolean canBe =
          count(present, LOCKS) <= 1
              && count(present, OWN_PLACES) <= 1
              && (!moved || present.contains(Fact.LOCK_OF_MINE));
      if (canBe) {
        all.add(present);
      }
    }
    return all;
  }

  private static long count(Set<Fact> present, Set<Fact> of) {
    return present.stream().filter(of::contains).count();
  }

  @TestFactory
  Stream<DynamicTest> takesEffectOnlyWhereNothingStandsInTheWay() {
    return rows().stream()
        .map(
            row ->
                DynamicTest.dynamicTest(
                    row.name(),
                    () -> {
                      int number = 0;
                      for (Set<Fact> present : situations()) {
                        String name = row.name().replace(' ', '-') + "/" + number++;
                        check(row, layOut(present, resource(name)));
                      }
                    }));
  }

  private void check(Row row, Laid laid) {
    MemberResult result = commit(row.transaction().apply(laid));
    Map<Key, Entry> after = snapshot(laid.resource());
    String which = row.name() + " with " + laid.facts();
    assertThat(result.held()).as(which).isEqualTo(row.takesEffect(laid.facts()));
    if (!result.held()) {
      assertThat(after).as(which).isEqualTo(laid.entries());
      assertThat(found(result, 0)).as(which).isEqualTo(looked(row.otherwise(), laid, after));
      return;
    }
    int writes = result.results().size() - row.sees().size();
    assertThat(found(result, writes)).as(which).isEqualTo(looked(row.sees(), laid, after));
    Map<Key, Entry> expected = new TreeMap<>(laid.entries());
    applyEffect(row, laid, after, expected);
    assertThat(after).as(which).isEqualTo(expected);
  }

  /** Changes {@code expected} as the row says; new entries are taken over once they are checked. */
  private void applyEffect(Row row, Laid laid, Map<Key, Entry> after, Map<Key, Entry> expected) {
    Key lock = keys.lock(laid.resource());
    Key own = key(Look.OWN, laid.resource());
    switch (row.name()) {
      case "acquire", "grant" -> {
        Key request = key(Look.REQUEST, laid.resource());
        Entry taken = after.get(lock);
        assertThat(taken.createRevision()).isEqualTo(taken.modRevision());
        assertThat(after.get(request).modRevision())
            .as("the request's revision is the lock's create revision")
            .isEqualTo(taken.createRevision());
        expected.put(lock, taken);
        expected.put(request, after.get(request));
        expected.remove(own);
      }
      case "enqueue" -> {
        Entry entry = after.get(own);
        assertThat(WaitRecord.decode(entry.value()).attempt()).isEqualTo(ATTEMPT);
        assertThat(expected.values()).allMatch(e -> e.createRevision() < entry.createRevision());
        expected.put(own, entry);
      }
      case "adopt" -> {
        Entry entry = after.get(own);
        assertThat(WaitRecord.decode(entry.value()).attempt()).isEqualTo(ATTEMPT);
        assertThat(entry.createRevision()).isEqualTo(expected.get(own).createRevision());
        expected.put(own, entry);
      }
      case "keep waiting" -> moved(own, after, expected);
      case "renew", "claim" -> moved(lock, after, expected);
      case "cancel" -> expected.remove(own);
      default -> expected.remove(lock);
    }
  }

  private static void moved(Key key, Map<Key, Entry> after, Map<Key, Entry> expected) {
    Entry old = expected.get(key);
    Entry entry = after.get(key);
    assertThat(entry.createRevision()).isEqualTo(old.createRevision());
    assertThat(entry.value()).isEqualTo(old.value());
    assertThat(entry.modRevision()).isGreaterThan(old.modRevision());
    expected.put(key, entry);
  }

  private static List<Optional<Entry>> found(MemberResult result, int from) {
    return result.results().stream().skip(from).map(OpResult::entry).toList();
  }

  private List<Optional<Entry>> looked(List<Look> looks, Laid laid, Map<Key, Entry> now) {
    return looks.stream()
        .map(
            look ->
                look == Look.HEAD
                    ? now.values().stream()
                        .filter(entry -> keys.places(laid.resource()).contains(entry.key()))
                        .min(Comparator.comparingLong(Entry::createRevision))
                    : Optional.ofNullable(now.get(key(look, laid.resource()))))
        .toList();
  }

  private Laid layOut(Set<Fact> present, ResourceName resource) {
    long read = 0;
    for (Fact fact : present) {
      switch (fact) {
        case LOCK_OF_MINE -> read = putLock(resource, MINE, GENERATION);
        case LOCK_OF_ANOTHER -> read = putLock(resource, ANOTHERS, GENERATION);
        case LOCK_OF_AN_OLDER_GENERATION -> read = putLock(resource, MINE, new Generation(2));
        case LOCK_MOVED_SINCE_READ -> run(new Op.Touch(keys.lock(resource), LeaseHandle.NONE));
        // One sorts before the own place and one behind it, whenever they came.
        case OTHER_WAITS_BEFORE -> putPlace(place(resource, "z"), EARLIER);
        case OTHER_WAITS_BEHIND -> putPlace(place(resource, "a"), EARLIER);
        case OWN_PLACE -> putPlace(key(Look.OWN, resource), ATTEMPT);
        case OWN_PLACE_OF_EARLIER_CALL -> putPlace(key(Look.OWN, resource), EARLIER);
        case RESERVED -> put(keys.reserve(resource));
        case REQUEST_KNOWN -> put(key(Look.REQUEST, resource));
      }
    }
    return new Laid(resource, present, snapshot(resource), read);
  }

  private long createdAt(Laid laid, Look look) {
    Entry entry = laid.entries().get(key(look, laid.resource()));
    return entry == null ? 0 : entry.createRevision();
  }

  private long modifiedAt(Laid laid, Look look) {
    Entry entry = laid.entries().get(key(look, laid.resource()));
    return entry == null ? 0 : entry.modRevision();
  }

  private long putLock(ResourceName resource, LeaseId owner, Generation generation) {
    LockRecord record = new LockRecord(owner.proof(), generation, 30, 0, HolderId.UNNAMED, "{}");
    return run(new Op.Put(keys.lock(resource), record.encode(), LeaseHandle.NONE)).revision();
  }

  private void putPlace(Key key, Attempt attempt) {
    WaitRecord entry =
        new WaitRecord(
            attempt, TTL.index(), request(resource("any")).parameters(), HolderId.UNNAMED);
    run(new Op.Put(key, entry.encode(), LeaseHandle.NONE));
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
    List<Op> gets =
        Stream.of(
                keys.lock(resource),
                key(Look.REQUEST, resource),
                keys.reserve(resource),
                keys.epoch(resource),
                key(Look.OWN, resource),
                place(resource, "a"),
                place(resource, "z"))
            .<Op>map(Op.Get::new)
            .toList();
    Batch batch = new Batch(List.of(), List.of(new Member(List.of(), gets, List.of())), List.of());
    ((BatchResult.Committed) await(store.commit(batch)))
        .members()
        .get(0)
        .results()
        .forEach(result -> result.entry().ifPresent(entry -> found.put(entry.key(), entry)));
    return found;
  }

  private Key key(Look look, ResourceName resource) {
    return switch (look) {
      case LOCK -> keys.lock(resource);
      case REQUEST -> keys.request(resource, Principal.ANONYMOUS, requestId("r"));
      case OWN -> place(resource, "r");
      case HEAD -> throw new IllegalArgumentException("the head is no one key");
    };
  }

  private Key place(ResourceName resource, String requestId) {
    return keys.place(resource, Principal.ANONYMOUS, requestId(requestId));
  }

  private static RequestId requestId(String text) {
    return RequestId.parse(text).orThrow();
  }

  private Award award(Laid laid) {
    return new Award(keys, request(laid.resource()), MINE, ATTEMPT);
  }

  private static AcquireRequest request(ResourceName resource) {
    return new AcquireRequest(
        resource,
        Principal.ANONYMOUS,
        requestId("r"),
        HolderId.UNNAMED,
        TTL.ttl(),
        "{}",
        DEDUP.ttl());
  }

  private static ResourceName resource(String name) {
    return ResourceName.parse(name).orThrow();
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static io.fencegate.coordination.service.CoordinationFixture.granted;
import static io.fencegate.coordination.service.CoordinationFixture.refused;
import static io.fencegate.coordination.service.CoordinationFixture.request;
import static io.fencegate.coordination.service.CoordinationFixture.resource;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.epoch.Verified;
import io.fencegate.coordination.key.HistoryLostRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.lock.Release;
import io.fencegate.coordination.lock.WaitTerms;
import io.fencegate.coordination.operator.ClusterAdmin;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.Generation;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds when a coordinator is restored from a backup, wiped or exchanged under gateways. */
abstract class RestoreContract {

  private static final Duration NOTICED = Duration.ofSeconds(40);
  private static final Duration MAX_HOLD = Duration.ofHours(12);
  private static final boolean FULL = Boolean.getBoolean("fencegate.full");

  @TempDir Path folder;

  private final Clocks clocks =
      () -> new ClockReading(System.nanoTime(), System.currentTimeMillis());
  private final Keyspace keys = new Keyspace(TestParty.PREFIX);
  private final AtomicInteger next = new AtomicInteger();
  private final List<TestParty> parties = new ArrayList<>();
  private Vertx vertx;
  private RestorableCoordinator coordinator;

  /** A coordinator that keeps what it has below {@code folder}. */
  abstract RestorableCoordinator open(Vertx vertx, Clocks clocks, Path folder);

  @BeforeEach
  void open() {
    vertx = Vertx.vertx();
    coordinator = open(vertx, clocks, folder.resolve("coordinator"));
  }

  @AfterEach
  void close() {
    try {
      List.copyOf(parties).forEach(this::close);
      coordinator.close();
    } finally {
      CoordinationFixture.await(vertx.close());
    }
  }

  private TestParty party(String name) {
    return party(name, new StoreProxy(coordinator.store()));
  }

  private TestParty party(String name, StoreProxy store) {
    TestParty party = TestParty.open(vertx, store, clocks, folder.resolve(name));
    parties.add(party);
    party.awaitSession();
    return party;
  }

  private void close(TestParty party) {
    party.close();
    parties.remove(party);
  }

  private Grant acquire(TestParty party, String resource) {
    return granted(party.acquire(request(resource, "r" + next.incrementAndGet())));
  }

  /** Takes and frees locks, so that the coordinator's revision moves on. */
  private FencingToken goOn(TestParty party) {
    FencingToken last = null;
    for (int i = 0; i < 10; i++) {
      Grant grant = acquire(party, "other/" + i);
      assertThat(granted(party.release(grant))).isEqualTo(Release.RELEASED);
      last = grant.token();
    }
    return last;
  }

  private void awaitLoss(TestParty party) {
    Awaitility.await()
        .atMost(NOTICED)
        .until(() -> party.get(() -> party.coordination.history().refusal().isPresent()));
  }

  private ClusterAdmin.Raised raise(TestParty party) {
    return granted(party.call(() -> party.coordination.cluster().raiseGeneration()));
  }

  private Ruling<Verified> verify(TestParty party, Grant grant) {
    return party.call(
        () ->
            party
                .coordination
                .epochs()
                .verifyAndRaise(
                    grant.resource(),
                    new WriteHeader(grant.token(), grant.leaseId().proof()),
                    true,
                    null,
                    party.deadline()));
  }

  @Test
  void afterARestoreNothingIsGrantedUntilTheGenerationIsRaisedAndThenTokensAreHigher() {
    TestParty party = party("one");
    Grant early = acquire(party, "early");
    coordinator.backUp();
    party.awaitSession();
    FencingToken highest = goOn(party);
    Grant late = acquire(party, "late");
    int pasts = party.doubtfulPasts.get();
    coordinator.restore();
    awaitLoss(party);
    assertThat(party.doubtfulPasts.get()).as("told to forget").isGreaterThan(pasts);
    assertRefused(party, early);
    assertThat(refused(party.acquire(request("new", "n1"))).code())
        .isEqualTo(RefusalCode.TOKEN_BELOW_FLOOR);
    granted(party.show(resource("early")));
    assertThat(granted(party.release(early))).isEqualTo(Release.RELEASED);
    assertThat(granted(party.release(late))).isEqualTo(Release.ALREADY_RELEASED);

    ClusterAdmin.Raised raised = raise(party);
    assertThat(raised.now()).isEqualTo(new Generation(1));
    assertThat(party.get(() -> party.coordination.history().trouble())).isEmpty();
    Grant after = acquire(party, "late");
    assertThat(after.token()).isGreaterThan(late.token()).isGreaterThan(highest);
    granted(verify(party, after));
    assertThat(refused(verify(party, late)).code()).isEqualTo(RefusalCode.STALE_TOKEN);
  }

  /** The lock came back with the backup, but its holder's lease is not extended any more. */
  private void assertRefused(TestParty party, Grant restored) {
    assertThat(
            refused(
                    party.call(
                        () ->
                            party
                                .coordination
                                .locks()
                                .renew(
                                    restored.resource(),
                                    restored.leaseId(),
                                    java.util.Optional.empty(),
                                    MAX_HOLD,
                                    party.deadline())))
                .code())
        .isEqualTo(RefusalCode.TOKEN_BELOW_FLOOR);
    assertThat(refused(verify(party, restored)).code()).isEqualTo(RefusalCode.TOKEN_BELOW_FLOOR);
  }

  @Test
  void aWipedCoordinatorIsNoticed() {
    TestParty party = party("one");
    FencingToken highest = goOn(party);
    coordinator.wipe();
    awaitLoss(party);
    assertThat(refused(party.acquire(request("a", "n1"))).code())
        .isEqualTo(RefusalCode.TOKEN_BELOW_FLOOR);
    raise(party);
    assertThat(acquire(party, "a").token()).isGreaterThan(highest);
  }

  private Future<Ruling<Grant>> waiting(TestParty party, String requestId) {
    WaitTerms terms = new WaitTerms(Duration.ofSeconds(60), 10, 10);
    return party.start(
        () ->
            party
                .coordination
                .locks()
                .acquire(request("queue", requestId), terms, party.deadline())
                .answer());
  }

  private void awaitWaiters(TestParty party, int count) {
    Awaitility.await().atMost(NOTICED).until(() -> coordinatorRange(party) == count);
  }

  private int coordinatorRange(TestParty party) {
    return party
        .call(() -> coordinator.store().range(keys.places(resource("queue")), 10))
        .entries()
        .size();
  }

  @Test
  void whoWaitsDuringARestoreIsAnsweredAndWhoWaitsAfterItIsWoken() {
    TestParty party = party("one");
    coordinator.backUp();
    party.awaitSession();
    goOn(party);
    acquire(party, "queue");
    Future<Ruling<Grant>> before = waiting(party, "w1");
    awaitWaiters(party, 1);
    coordinator.restore();
    awaitLoss(party);
    assertThat(refused(CoordinationFixture.await(before)).code())
        .isIn(RefusalCode.TOKEN_BELOW_FLOOR, RefusalCode.LEASE_LOST);
    raise(party);
    Grant holder = acquire(party, "queue");
    Future<Ruling<Grant>> after = waiting(party, "w2");
    awaitWaiters(party, 1);
    long freed = System.nanoTime();
    granted(party.release(holder));
    assertThat(granted(CoordinationFixture.await(after)).token()).isGreaterThan(holder.token());
    assertThat(Duration.ofNanos(System.nanoTime() - freed)).isLessThan(Duration.ofSeconds(5));
  }

  @Test
  void aRestoreWhileTheGatewayWasDownIsNoticedWhenItStarts() {
    TestParty before = party("one");
    coordinator.backUp();
    before.awaitSession();
    FencingToken highest = goOn(before);
    close(before);
    coordinator.restore();
    TestParty after = party("one");
    awaitLoss(after);
    assertThat(refused(after.acquire(request("a", "n1"))).code())
        .isEqualTo(RefusalCode.TOKEN_BELOW_FLOOR);
    raise(after);
    assertThat(acquire(after, "a").token()).isGreaterThan(highest);
  }

  @Test
  void aGatewayThatStartsAfterTheGenerationWasRaisedSeesNoLoss() {
    TestParty one = party("one");
    TestParty two = party("two");
    coordinator.backUp();
    one.awaitSession();
    goOn(one);
    two.awaitSession();
    close(two);
    coordinator.restore();
    awaitLoss(one);
    raise(one);
    TestParty again = party("two");
    int pasts = again.doubtfulPasts.get();
    acquire(again, "a");
    assertThat(again.get(() -> again.coordination.history().trouble())).isEmpty();
    assertThat(again.doubtfulPasts.get()).isEqualTo(pasts);
  }

  private long revision(TestParty party) {
    return party.get(() -> party.coordination.history().floor().revision());
  }

  /**
   * Two go on until the restored store is past what the third has seen; that one starts only then.
   */
  @Test
  void whatSomeHaveNoticedHoldsForWhoeverComesWhenItCannotBeSeenAnyMore() {
    TestParty one = party("one");
    TestParty two = party("two");
    TestParty three = party("three");
    coordinator.backUp();
    three.awaitSession();
    long knownToThree = revision(three);
    close(three);
    one.awaitSession();
    two.awaitSession();
    FencingToken highest = goOn(one);
    two.awaitSession();
    coordinator.restore();
    awaitLoss(one);
    awaitLoss(two);
    Awaitility.await()
        .atMost(NOTICED)
        .until(
            () -> {
              one.awaitSession();
              return storeRevision(one) > knownToThree + 1;
            });
    TestParty late = party("three");
    TestParty unknowing = party("four");
    for (TestParty each : List.of(late, unknowing)) {
      assertThat(each.get(() -> each.coordination.history().trouble())).isPresent();
      assertThat(refused(each.acquire(request("new", "n1"))).code())
          .isEqualTo(RefusalCode.TOKEN_BELOW_FLOOR);
    }
    raise(unknowing);
    for (TestParty each : List.of(one, two, late, unknowing)) {
      each.awaitSession();
      assertThat(acquire(each, "after/" + next.incrementAndGet()).token()).isGreaterThan(highest);
      assertThat(each.get(() -> each.coordination.history().trouble())).isEmpty();
    }
  }

  private long storeRevision(TestParty party) {
    Member look = new Member(List.of(), List.of(new Op.Get(keys.generation())), List.of());
    return ((BatchResult.Committed)
            party.call(
                () -> coordinator.store().commit(new Batch(List.of(), List.of(look), List.of()))))
        .revision();
  }

  private void mark(TestParty party, int generation) {
    Member put =
        new Member(
            List.of(),
            List.of(
                new Op.Put(
                    keys.historyLost(),
                    new HistoryLostRecord(new Generation(generation), 1, "a test says so").encode(),
                    LeaseHandle.NONE)),
            List.of());
    party.call(() -> coordinator.store().commit(new Batch(List.of(), List.of(put), List.of())));
  }

  /** No heartbeat has to come between: what was let in on older knowledge is not committed. */
  @Test
  void nothingIsGrantedFromTheMomentThatTheMarkIsThere() {
    TestParty party = party("one");
    acquire(party, "before");
    mark(party, 0);
    assertThat(refused(party.acquire(request("a", "n1"))).code())
        .isEqualTo(RefusalCode.TOKEN_BELOW_FLOOR);
    raise(party);
    acquire(party, "a");
  }

  @Test
  void theGenerationIsRaisedAboveTheOneInTheMark() {
    TestParty party = party("one");
    mark(party, 7);
    assertThat(raise(party).now()).isEqualTo(new Generation(8));
    assertThat(acquire(party, "a").token().generation()).isEqualTo(new Generation(8));
  }

  @Test
  void everyGatewayTakesUpARaisedGenerationAndOldTokensAreVoid() {
    TestParty one = party("one");
    TestParty two = party("two");
    Grant old = acquire(one, "a");
    assertThat(raise(two).now()).isEqualTo(new Generation(1));
    Grant fresh = acquire(one, "b");
    assertThat(fresh.token().generation()).isEqualTo(new Generation(1));
    assertThat(refused(verify(one, old)).code()).isEqualTo(RefusalCode.STALE_TOKEN);
    assertThat(refused(one.acquire(request("a", "n1"))).code())
        .as("a lock of an older generation runs out or is broken")
        .isEqualTo(RefusalCode.LOCK_HELD);
    granted(
        one.call(
            () ->
                one.coordination
                    .breaker()
                    .breakLock(resource("a"), java.util.Optional.empty(), one.deadline())));
    assertThat(acquire(one, "a").token()).isGreaterThan(old.token());
  }

  @Test
  void noGrantIsLowerThanOneThatWasAnsweredBeforeItWasAskedFor() {
    TestParty party = party("one");
    coordinator.backUp();
    party.awaitSession();
    FencingToken highest = goOn(party);
    Map<Integer, Ruling<Grant>> rulings = new ConcurrentHashMap<>();
    List<Future<?>> asked = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      int number = i;
      if (i == 200) {
        coordinator.restore();
      }
      asked.add(
          party
              .start(
                  () ->
                      party
                          .coordination
                          .locks()
                          .acquire(request("many/" + number, "m" + number), party.deadline()))
              .onSuccess(ruling -> rulings.put(number, ruling)));
    }
    CoordinationFixture.await(Future.join(asked).otherwiseEmpty().mapEmpty());
    assertThat(rulings).hasSize(400);
    rulings.forEach(
        (number, ruling) ->
            ruling.fold(
                grant -> {
                  assertThat(grant.token()).as("grant %d", number).isGreaterThan(highest);
                  return true;
                },
                refusal -> {
                  assertThat(refusal.code())
                      .isIn(RefusalCode.TOKEN_BELOW_FLOOR, RefusalCode.COORDINATOR_UNAVAILABLE);
                  return true;
                }));
    awaitLoss(party);
  }

  /** Answers that overtake each other, restarts of both sides, and no restore at all. */
  @Test
  void aHealthyCoordinatorIsNeverTakenForARestoredOne() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int rounds = FULL ? 60 : 4;
    int number = 0;
    for (int round = 0; round < rounds; round++) {
      TestParty party = party("one", new ShufflingWire(vertx, coordinator.store(), random));
      List<Future<?>> asked = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        String name = "some/" + random.nextInt(50);
        String id = "h" + number++;
        asked.add(
            party.start(
                () -> party.coordination.locks().acquire(request(name, id), party.deadline())));
        if (i == 100 && random.nextBoolean()) {
          coordinator.restart();
        }
      }
      CoordinationFixture.await(Future.join(asked).otherwiseEmpty().mapEmpty());
      assertThat(party.get(() -> party.coordination.history().trouble()))
          .as("seed %d, round %d", seed, round)
          .isEmpty();
      close(party);
    }
  }

  /** Holds every answer back for some random milliseconds. */
  private static final class ShufflingWire extends StoreProxy {
    private static final int MAX_MILLIS = 20;

    private final Vertx vertx;
    private final Random random;

    ShufflingWire(Vertx vertx, io.fencegate.coordination.store.CoordinationStore store, Random r) {
      super(store);
      this.vertx = vertx;
      this.random = r;
    }

    @Override
    public Future<BatchResult> commit(Batch batch) {
      long millis;
      synchronized (random) {
        millis = 1L + random.nextInt(MAX_MILLIS);
      }
      return super.commit(batch)
          .transform(
              answer ->
                  vertx
                      .timer(millis, TimeUnit.MILLISECONDS)
                      .transform(
                          unused ->
                              answer.succeeded()
                                  ? Future.succeededFuture(answer.result())
                                  : Future.failedFuture(answer.cause())));
    }
  }
}

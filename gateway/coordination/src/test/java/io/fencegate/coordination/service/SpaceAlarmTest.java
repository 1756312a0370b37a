/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static io.fencegate.coordination.service.CoordinationFixture.await;
import static io.fencegate.coordination.service.CoordinationFixture.granted;
import static io.fencegate.coordination.service.CoordinationFixture.refused;
import static io.fencegate.coordination.service.CoordinationFixture.request;
import static io.fencegate.coordination.service.CoordinationFixture.resource;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.embedded.EmbeddedStore;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.lock.Release;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A coordinator without space: what could put is refused, what only deletes or reads is not. */
class SpaceAlarmTest {

  private static final String FULL = "database space exceeded";
  private static final Duration SOON = Duration.ofSeconds(10);

  @TempDir Path folder;

  private final AtomicLong aheadNanos = new AtomicLong();
  private final Clocks clocks =
      () ->
          new ClockReading(
              System.nanoTime() + aheadNanos.get(),
              System.currentTimeMillis() + aheadNanos.get() / 1_000_000);
  private final Keyspace keys = new Keyspace(TestParty.PREFIX);
  private Vertx vertx;
  private LossyStore lossy;
  private CrampedStore store;
  private TestParty party;

  /** Refuses as etcd does in its alarm: by what a batch could put, whichever branch would run. */
  private static final class CrampedStore extends StoreProxy {
    volatile boolean full;

    CrampedStore(CoordinationStore store) {
      super(store);
    }

    @Override
    public Future<BatchResult> commit(Batch batch) {
      boolean couldPut =
          batch.members().stream()
              .flatMap(CrampedStore::steps)
              .anyMatch(op -> op instanceof Op.Put || op instanceof Op.Touch);
      return full && couldPut ? noSpace() : super.commit(batch);
    }

    private static Stream<Op> steps(Member member) {
      return Stream.concat(member.then().stream(), member.otherwise().stream());
    }

    @Override
    public Future<LeaseHandle> grant(long ttlSeconds) {
      return full ? noSpace() : super.grant(ttlSeconds);
    }

    private static <T> Future<T> noSpace() {
      return Future.failedFuture(new StoreException(StoreException.Kind.NO_SPACE, FULL));
    }
  }

  @BeforeEach
  void open() {
    vertx = Vertx.vertx();
    lossy = new LossyStore(await(EmbeddedStore.open(vertx, folder.resolve("data"), clocks)));
    store = new CrampedStore(lossy);
    party = TestParty.open(vertx, store, clocks, folder.resolve("witness"));
    party.awaitSession();
  }

  @AfterEach
  void close() {
    try {
      party.close();
      await(store.close());
    } finally {
      await(vertx.close());
    }
  }

  private Grant acquire(String name) {
    return granted(party.acquire(request(name, "r-" + name)));
  }

  private boolean isFresh() {
    return party.get(() -> party.coordination.session().isFresh(clocks.read()));
  }

  private void passSessionTtl() {
    aheadNanos.addAndGet(GatewaySession.TTL.plusSeconds(3).toNanos());
    Awaitility.await().atMost(SOON).until(() -> !isFresh());
    Awaitility.await()
        .atMost(SOON)
        .until(() -> await(lossy.range(keys.gateways(), 10)).entries().isEmpty());
  }

  private void assertRefusedWithCause(Ruling<?> ruling, Certainty certainty) {
    Refusal refusal = refused(ruling);
    assertThat(refusal.code()).isEqualTo(RefusalCode.COORDINATOR_UNAVAILABLE);
    assertThat(refusal.certainty()).isEqualTo(certainty);
    assertThat(refusal.detail()).contains("out of space", FULL, "make room");
  }

  private Ruling<?> renew(Grant grant) {
    return party.call(
        () ->
            party
                .coordination
                .locks()
                .renew(
                    grant.resource(),
                    grant.leaseId(),
                    Optional.empty(),
                    Duration.ofHours(1),
                    party.deadline()));
  }

  @Test
  void releaseAndShowWorkAndTheRestIsRefusedForCertainWithTheCause() {
    Grant one = acquire("one");
    Grant two = acquire("two");
    store.full = true;
    assertRefusedWithCause(party.acquire(request("new", "n1")), Certainty.REJECTED);
    assertRefusedWithCause(renew(one), Certainty.REJECTED);
    assertThat(granted(party.release(one))).isEqualTo(Release.RELEASED);
    granted(party.show(resource("two")));
    assertThat(granted(party.release(two))).isEqualTo(Release.RELEASED);
  }

  @Test
  void releaseStillWorksWhenTheSessionHasRunOutForLackOfSpace() {
    Grant one = acquire("one");
    Grant two = acquire("two");
    store.full = true;
    passSessionTtl();
    assertThat(granted(party.release(one))).isEqualTo(Release.RELEASED);
    long asked = System.nanoTime();
    assertRefusedWithCause(party.acquire(request("new", "n1")), Certainty.REJECTED);
    assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(5));
    assertThat(granted(party.release(two))).isEqualTo(Release.RELEASED);
    Awaitility.await()
        .atMost(SOON)
        .until(
            () ->
                party.get(() -> party.coordination.session().trouble()).equals(Optional.of(FULL)));

    store.full = false;
    Awaitility.await().atMost(SOON).until(this::isFresh);
    acquire("new");
  }

  @Test
  void whatWasInDoubtWhenSpaceRanOutIsAnsweredSoAndCannotBeCommittedLater() {
    lossy.delay(
        batch -> {
          boolean fits = CoordinationFixture.writes(batch, keys.lock(resource("late")));
          store.full |= fits;
          return fits;
        });
    assertRefusedWithCause(party.acquire(request("late", "l1")), Certainty.UNKNOWN);
    assertThat(await(lossy.range(keys.gateways(), 10)).entries())
        .as("the session ended to settle the doubt")
        .isEmpty();
    lossy
        .deliverDelayed()
        .forEach(late -> assertThat(await(late)).isInstanceOf(BatchResult.Fenced.class));
    assertThat(await(lossy.range(keys.locks(), 10)).entries()).isEmpty();
  }

  @Test
  void aReleaseInDoubtIsRepeatedUntilItIsKnown() {
    Grant one = acquire("one");
    store.full = true;
    lossy.loseReply(batch -> CoordinationFixture.writes(batch, keys.lock(resource("one"))));
    assertThat(granted(party.release(one))).isEqualTo(Release.RELEASED);
    assertThat(granted(party.release(one))).isEqualTo(Release.ALREADY_RELEASED);
  }

  @Test
  void aReleaseThatArrivesLateTouchesNobodyElsesLock() {
    Grant one = acquire("one");
    lossy.delay(batch -> CoordinationFixture.writes(batch, keys.lock(resource("one"))));
    assertThat(granted(party.release(one))).isEqualTo(Release.RELEASED);
    Grant two = granted(party.acquire(request("one", "another")));
    lossy.deliverDelayed().forEach(CoordinationFixture::await);
    granted(renew(two));
  }

  @Test
  void aGatewayThatStartsWithoutSpaceKnowsTheGenerationAndLearnsTheRestLater() {
    Grant one = acquire("one");
    granted(party.call(() -> party.coordination.cluster().raiseGeneration()));
    Grant two = acquire("two");
    store.full = true;
    TestParty late = TestParty.open(vertx, store, clocks, folder.resolve("late"));
    assertThat(granted(late.release(two))).isEqualTo(Release.RELEASED);
    assertThat(granted(late.release(one)))
        .as("of an older generation, so nobody's")
        .isEqualTo(Release.NOT_HELD);
    assertThat(late.get(() -> late.coordination.session().generation().value())).isEqualTo(1);
    late.close();
  }
}

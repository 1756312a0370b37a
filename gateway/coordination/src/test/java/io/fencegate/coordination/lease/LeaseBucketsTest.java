/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.embedded.EmbeddedStore;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.LeaseTtl;
import io.fencegate.coordination.store.RangePage;
import io.fencegate.coordination.store.StoreHealth;
import io.fencegate.coordination.store.Watch;
import io.fencegate.coordination.store.WatchListener;
import io.fencegate.coordination.store.WatchScope;
import io.fencegate.policy.time.ClockReading;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeaseBucketsTest {

  private static final TtlClass TTL = TtlClass.atLeast(Duration.ofSeconds(30));
  private static final TtlClass TEN = TtlClass.atLeast(Duration.ofSeconds(10));

  @TempDir Path folder;
  private final AtomicLong aheadNanos = new AtomicLong();
  private Vertx vertx;
  private CoordinationStore store;
  private LeaseBuckets buckets;

  @BeforeEach
  void open() {
    vertx = Vertx.vertx();
    store = await(EmbeddedStore.open(vertx, folder, this::now));
    buckets = new LeaseBuckets(new Prompt(store), this::now);
  }

  @AfterEach
  void close() {
    await(store.close());
    await(vertx.close());
  }

  private ClockReading now() {
    return new ClockReading(System.nanoTime() + aheadNanos.get(), System.currentTimeMillis());
  }

  private Bucket current(int keys) {
    return await(buckets.current(TTL, keys));
  }

  @Test
  void aBucketIsUsedForASecondAndThenReplacedHoweverPromptlyTheStoreAnswers() {
    Bucket first = current(1);
    assertThat(current(1)).isEqualTo(first);
    for (int i = 0; i < 3; i++) {
      aheadNanos.addAndGet(Duration.ofMillis(1_100).toNanos());
      Bucket next = current(1);
      assertThat(next.lease()).isNotEqualTo(first.lease());
      assertThat(next.deadlineNanos()).isGreaterThan(first.deadlineNanos());
      first = next;
    }
  }

  @Test
  void aFullBucketIsReplaced() {
    HashSet<LeaseHandle> leases = new HashSet<>();
    for (int i = 0; i < 25; i++) {
      leases.add(current(100).lease());
    }
    assertThat(leases).hasSize(3);
  }

  @Test
  void callsWhileAGrantIsUnderWayShareIt() {
    LeaseBuckets slow = new LeaseBuckets(store, this::now);
    List<Future<Bucket>> asked = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      asked.add(slow.current(TTL, 1));
    }
    HashSet<LeaseHandle> leases = new HashSet<>();
    asked.forEach(bucket -> leases.add(await(bucket).lease()));
    assertThat(leases).hasSize(1);
  }

  @Test
  void callsThatShareAGrantNeverOverfillItsBucket() {
    LeaseBuckets slow = new LeaseBuckets(store, this::now);
    List<Future<Bucket>> asked = new ArrayList<>();
    for (int i = 0; i < 35; i++) {
      asked.add(slow.current(TTL, 100));
    }
    Map<LeaseHandle, Integer> keys = new HashMap<>();
    asked.forEach(bucket -> keys.merge(await(bucket).lease(), 100, Integer::sum));
    assertThat(keys.values()).allMatch(it -> it <= LeaseBuckets.MAX_KEYS);
    assertThat(keys).hasSize(4);
  }

  @Test
  void neverPromisesMoreThanTheGrantedTtlNorMoreThanTheLeaseLives() {
    Bucket bucket = current(1);
    assertThat(TTL.promiseMillis(bucket.deadlineNanos(), now())).isLessThanOrEqualTo(30_000);
    aheadNanos.addAndGet(Duration.ofSeconds(20).toNanos());
    assertThat(TTL.promiseMillis(bucket.deadlineNanos(), now())).isLessThanOrEqualTo(11_000);
    aheadNanos.addAndGet(Duration.ofSeconds(20).toNanos());
    assertThat(TTL.promiseMillis(bucket.deadlineNanos(), now())).isZero();
  }

  @Test
  void aForeignLeasesDeadlineIsNeverLaterThanTheStoreLetsItLive() {
    LeaseHandle foreign = await(store.grant(10));
    long askedNanos = now().monotonicNanos();
    long deadline = await(buckets.deadlineNanos(foreign, TEN));
    assertThat(deadline - askedNanos).isLessThanOrEqualTo(Duration.ofSeconds(11).toNanos());
    assertThat(deadline - askedNanos).isGreaterThan(Duration.ofSeconds(8).toNanos());
    assertThat(await(buckets.deadlineNanos(new LeaseHandle(987_654), TEN)))
        .isLessThanOrEqualTo(now().monotonicNanos());
  }

  @Test
  void noMoreThanTheLocksClassIsTakenFromTheStoreAndThatIsNotKept() {
    LeaseHandle foreign = await(store.grant(600));
    long before = now().monotonicNanos();
    long capped = await(buckets.deadlineNanos(foreign, TEN));
    assertThat(capped - before).isBetween(seconds(11), seconds(12));
    assertThat(buckets.knownDeadlineNanos(foreign)).isEmpty();
    // A lock that was renewed for longer than it was granted is not cut off.
    aheadNanos.addAndGet(seconds(20));
    assertThat(await(buckets.deadlineNanos(foreign, TEN))).isGreaterThan(now().monotonicNanos());
  }

  @Test
  void aLeaseThatIsGoneIsAskedForAgain() {
    Scripted script = new Scripted(store);
    LeaseBuckets asking = new LeaseBuckets(script, this::now);
    LeaseHandle lease = new LeaseHandle(77);
    Future<Long> early = asking.deadlineNanos(lease, TEN);
    script.answer(0, new LeaseTtl.Gone());
    assertThat(await(early)).isLessThanOrEqualTo(now().monotonicNanos());
    Future<Long> later = asking.deadlineNanos(lease, TEN);
    script.answer(1, new LeaseTtl.Alive(7));
    assertThat(await(later)).isGreaterThan(now().monotonicNanos());
  }

  @Test
  void aKeptDeadlineFallsAndNeverRises() {
    Scripted script = new Scripted(store);
    LeaseBuckets asking = new LeaseBuckets(script, this::now);
    LeaseHandle lease = new LeaseHandle(77);
    List<Future<Long>> asked = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      asked.add(asking.deadlineNanos(lease, TEN));
    }
    script.answer(0, new LeaseTtl.Alive(5));
    script.answer(1, new LeaseTtl.Alive(9));
    assertThat(await(asked.get(1))).isEqualTo(await(asked.get(0)));
    script.answer(2, new LeaseTtl.Alive(3));
    assertThat(await(asked.get(2))).isLessThan(await(asked.get(0)));
    assertThat(await(asking.deadlineNanos(lease, TEN))).isEqualTo(await(asked.get(2)));
  }

  private static long seconds(long seconds) {
    return Duration.ofSeconds(seconds).toNanos();
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }

  /** The real store, but how long leases live is said by the test, in any order. */
  private static final class Scripted extends Prompt {
    private final List<Promise<LeaseTtl>> asked = new ArrayList<>();

    Scripted(CoordinationStore store) {
      super(store);
    }

    @Override
    public Future<LeaseTtl> timeToLive(LeaseHandle lease) {
      Promise<LeaseTtl> answer = Promise.promise();
      asked.add(answer);
      return answer.future();
    }

    void answer(int question, LeaseTtl ttl) {
      asked.get(question).complete(ttl);
    }
  }

  /** The real store, whose answer is there before anybody can listen for it. */
  private static class Prompt implements CoordinationStore {

    private final CoordinationStore store;

    Prompt(CoordinationStore store) {
      this.store = store;
    }

    private static <T> Future<T> done(Future<T> future) {
      return Future.succeededFuture(await(future));
    }

    @Override
    public Future<BatchResult> commit(Batch batch) {
      return done(store.commit(batch));
    }

    @Override
    public Future<LeaseHandle> grant(long ttlSeconds) {
      return done(store.grant(ttlSeconds));
    }

    @Override
    public Future<LeaseTtl> timeToLive(LeaseHandle lease) {
      return done(store.timeToLive(lease));
    }

    @Override
    public Future<RangePage> range(KeyRange range, int limit) {
      return done(store.range(range, limit));
    }

    @Override
    public Future<StoreHealth> health() {
      return store.health();
    }

    @Override
    public Watch watch(
        KeyRange range, long fromRevision, WatchScope scope, WatchListener listener) {
      return store.watch(range, fromRevision, scope, listener);
    }

    @Override
    public Future<Void> close() {
      return store.close();
    }
  }
}

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
    long deadline = await(buckets.deadlineNanos(foreign));
    assertThat(deadline - askedNanos).isLessThanOrEqualTo(Duration.ofSeconds(11).toNanos());
    assertThat(deadline - askedNanos).isGreaterThan(Duration.ofSeconds(8).toNanos());
    assertThat(await(buckets.deadlineNanos(new LeaseHandle(987_654))))
        .isLessThanOrEqualTo(now().monotonicNanos());
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }

  /** The real store, whose answer is there before anybody can listen for it. */
  private record Prompt(CoordinationStore store) implements CoordinationStore {

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

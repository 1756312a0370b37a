/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.Coordination;
import io.fencegate.coordination.embedded.EmbeddedStore;
import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.coordination.etcd.EtcdStore;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.lock.AcquireCall;
import io.fencegate.coordination.lock.AcquireRequest;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.lock.Release;
import io.fencegate.coordination.lock.WaitTerms;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Value;
import io.fencegate.lab.EtcdCluster;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.name.HolderId;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.RequestId;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** One or more gateways' coordination on one real store behind a lossy wire. */
abstract class CoordinationFixture {

  protected static final Duration TTL = Duration.ofSeconds(30);
  private static final Duration BUDGET = Duration.ofSeconds(10);
  private static final SecureRandom RANDOM = new SecureRandom();

  @TempDir Path dataDir;

  /** A store may serve many tests, each with keys of its own. */
  private final String prefix = "test-" + UUID.randomUUID();

  protected final Keyspace keys = new Keyspace(prefix);
  protected final Clocks clocks =
      () -> new ClockReading(System.nanoTime(), System.currentTimeMillis());
  protected Vertx vertx;
  protected LossyStore store;
  private CoordinationStore reliable;
  private final List<Party> parties = new ArrayList<>();
  private final Told told = new Told();

  /** A gateway's coordination and the context that it lives on. */
  protected record Party(
      Context context, Coordination coordination, DrainBarrier barrier, Told told) {

    <T> T call(Supplier<Future<T>> work) {
      Promise<T> promise = Promise.promise();
      context.runOnContext(unused -> work.get().onComplete(promise));
      return await(promise.future());
    }

    /** An acquire that may wait; answered some time. */
    Waiting acquire(AcquireRequest request, WaitTerms terms, long deadlineNanos) {
      AcquireCall made =
          call(
              () ->
                  Future.succeededFuture(
                      coordination.locks().acquire(request, terms, deadlineNanos)));
      return new Waiting(this, request, made);
    }

    void run(Runnable work) {
      call(
          () -> {
            work.run();
            return Future.succeededFuture();
          });
    }

    Ruling<Grant> acquire(AcquireRequest request, long deadlineNanos) {
      return told.add(request, call(() -> coordination.locks().acquire(request, deadlineNanos)));
    }
  }

  /** A call that waits, or did. */
  protected record Waiting(Party party, AcquireRequest request, AcquireCall call) {

    Ruling<Grant> answer() {
      return party.told().add(request, CoordinationFixture.await(call.answer()));
    }

    boolean isAnswered() {
      return call.answer().isComplete();
    }

    void abandon() {
      party.run(call::abandon);
    }
  }

  @BeforeEach
  void open() {
    vertx = Vertx.vertx();
    reliable = openStore();
    store = new LossyStore(reliable);
  }

  /** The coordinator under all of it; another kind of store runs the same tests. */
  protected CoordinationStore openStore() {
    return await(EmbeddedStore.open(vertx, dataDir, clocks));
  }

  protected CoordinationStore openEtcd(EtcdCluster cluster) {
    return await(
        EtcdStore.open(
            vertx,
            EtcdSettings.of(cluster.endpoints()),
            clocks,
            () -> ThreadLocalRandom.current().nextDouble()));
  }

  @AfterEach
  void close() {
    try {
      assertThat(store.allFaultsHappened()).as("every planned fault happened").isTrue();
      told.check();
      parties.forEach(party -> party.call(() -> party.coordination().close()));
      await(store.close());
    } finally {
      await(vertx.close());
    }
  }

  protected Party party() {
    Context context = vertx.getOrCreateContext();
    Promise<Coordination> started = Promise.promise();
    DrainBarrier barrier = new DrainBarrier(Duration.ofMillis(250));
    context.runOnContext(
        unused ->
            started.complete(
                Coordination.start(
                    new Coordination.Setup(
                        vertx,
                        store,
                        prefix,
                        clocks,
                        "here:1",
                        CoordinationFixture::random,
                        barrier,
                        () -> Duration.ofSeconds(1)),
                    () -> {})));
    Party party = new Party(context, await(started.future()), barrier, told);
    parties.add(party);
    party.call(() -> party.coordination().session().refresh());
    return party;
  }

  private static byte[] random(int bytes) {
    byte[] out = new byte[bytes];
    RANDOM.nextBytes(out);
    return out;
  }

  protected static ResourceName resource(String name) {
    return ResourceName.parse(name).orThrow();
  }

  protected static AcquireRequest request(String resource, String requestId) {
    return new AcquireRequest(
        resource(resource),
        Principal.ANONYMOUS,
        RequestId.parse(requestId).orThrow(),
        new HolderId("holder of " + requestId),
        TTL,
        "{}",
        Duration.ofMinutes(2));
  }

  protected WaitTerms patience(Duration wait) {
    return new WaitTerms(wait, WaitTerms.MOST_WAITERS, WaitTerms.MOST_WAITERS);
  }

  /** A call that waits for up to 30 s and has its place in the queue. */
  protected Waiting queued(Party party, String resource, String requestId) {
    Waiting waiting =
        party.acquire(request(resource, requestId), patience(Duration.ofSeconds(30)), deadline());
    awaitUntil(() -> waiting.isAnswered() || read(place(resource, requestId)).isPresent());
    assertThat(waiting.isAnswered()).as("it waits").isFalse();
    return waiting;
  }

  protected Key place(String resource, String requestId) {
    AcquireRequest request = request(resource, requestId);
    return keys.place(request.resource(), request.principal(), request.requestId());
  }

  protected int queueLength(String resource) {
    return CoordinationFixture.await(reliable.range(keys.places(resource(resource)), 1_000))
        .entries()
        .size();
  }

  protected Release release(Party party, Grant grant) {
    return granted(
        party.call(
            () ->
                party
                    .coordination()
                    .locks()
                    .release(grant.resource(), grant.leaseId(), deadline())));
  }

  protected static void awaitUntil(Callable<Boolean> condition) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(Duration.ofSeconds(15))
        .until(condition);
  }

  protected long deadline() {
    return clocks.read().monotonicNanos() + BUDGET.toNanos();
  }

  protected static <T> T granted(Ruling<T> ruling) {
    return ruling.fold(
        value -> value,
        refusal -> {
          throw new AssertionError("refused: " + refusal);
        });
  }

  protected static Refusal refused(Ruling<?> ruling) {
    return ruling.fold(
        value -> {
          throw new AssertionError("granted: " + value);
        },
        refusal -> refusal);
  }

  protected BatchResult.Committed commit(Op... ops) {
    return (BatchResult.Committed)
        await(
            reliable.commit(
                new Batch(
                    List.of(),
                    List.of(new Member(List.of(), List.of(ops), List.of())),
                    List.of())));
  }

  protected Optional<Entry> read(Key key) {
    return commit(new Op.Get(key)).members().get(0).entry(0);
  }

  protected void put(Key key, Value value) {
    commit(new Op.Put(key, value, LeaseHandle.NONE));
  }

  protected LeaseHandle lease() {
    return await(store.grant(TTL.toSeconds()));
  }

  protected static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }

  /** Whether a batch puts the lock of this resource. */
  protected boolean putsLock(Batch batch, String resource) {
    return writes(batch, keys.lock(resource(resource)));
  }

  protected static boolean writes(Batch batch, Key key) {
    return batch.members().stream()
        .flatMap(member -> member.then().stream())
        .anyMatch(
            op ->
                (op instanceof Op.Put put && put.key().equals(key))
                    || (op instanceof Op.Touch touch && touch.key().equals(key))
                    || (op instanceof Op.Delete delete && delete.key().equals(key)));
  }
}

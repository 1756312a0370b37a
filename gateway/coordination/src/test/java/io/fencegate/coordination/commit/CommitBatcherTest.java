/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.embedded.EmbeddedStore;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.LeaseBuckets;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Value;
import io.fencegate.coordination.witness.CoordinatorHistory;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.Generation;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The batcher on a real store, with transactions that a store refuses. */
class CommitBatcherTest {

  private static final TtlClass CLASS = TtlClass.atLeast(Duration.ofSeconds(30));
  private static final Value VALUE = Value.of(new byte[] {1});

  @TempDir Path dataDir;

  private final Clocks clocks =
      () -> new ClockReading(System.nanoTime(), System.currentTimeMillis());
  private final List<Integer> batchSizes = new ArrayList<>();
  private final List<CommitObserver.Outcome> outcomes = new ArrayList<>();
  private Vertx vertx;
  private Context context;
  private CoordinationStore store;
  private CommitBatcher batcher;

  private record Simple(
      ResourceName resource,
      List<TtlClass> ttlClasses,
      BiFunction<Key, Map<TtlClass, Bucket>, List<Op>> steps)
      implements Transaction {
    @Override
    public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
      return new Member(List.of(), steps.apply(key(resource), buckets), List.of());
    }
  }

  private static Key key(ResourceName resource) {
    return new Key("test/" + resource.keySegment());
  }

  private static ResourceName resource(String name) {
    return ResourceName.parse(name).orThrow();
  }

  private static Transaction good(String name) {
    return new Simple(
        resource(name),
        List.of(CLASS),
        (key, buckets) -> List.of(new Op.Put(key, VALUE, buckets.get(CLASS).lease())));
  }

  private static Transaction steps(String name, Function<Key, List<Op>> steps) {
    return new Simple(resource(name), List.of(), (key, buckets) -> steps.apply(key));
  }

  @BeforeEach
  void open() {
    vertx = Vertx.vertx();
    context = vertx.getOrCreateContext();
    store = await(EmbeddedStore.open(vertx, dataDir, clocks));
    LeaseBuckets buckets = new LeaseBuckets(store, clocks);
    CoordinatorHistory history = CoordinatorHistory.unrecorded(vertx);
    GatewaySession session =
        new GatewaySession(
            new GatewaySession.Setup(
                store,
                new Keyspace("test"),
                buckets,
                clocks,
                "here",
                () -> "s",
                () -> {},
                history));
    batcher = new CommitBatcher(vertx, store, session, buckets, history, clocks);
    batcher.observe(
        (members, tookNanos, outcome) -> {
          batchSizes.add(members);
          outcomes.add(outcome);
        });
    onContext(session::refresh);
  }

  @AfterEach
  void close() {
    await(store.close());
    await(vertx.close());
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }

  private <T> T onContext(Supplier<Future<T>> work) {
    Promise<T> promise = Promise.promise();
    context.runOnContext(unused -> work.get().onComplete(promise));
    return await(promise.future());
  }

  /** Submits all at once; they wait together, since nothing comes back before all are in. */
  private List<Commit> submit(List<Transaction> transactions) {
    return onContext(
        () -> {
          long deadline = clocks.read().monotonicNanos() + Duration.ofSeconds(10).toNanos();
          List<Future<Commit>> answers =
              transactions.stream().map(it -> batcher.submit(it, deadline)).toList();
          return Future.all(answers).map(all -> all.<Commit>list());
        });
  }

  private static List<Transaction> goodOnes(int many) {
    return IntStream.range(0, many).mapToObj(i -> good("good/" + i)).toList();
  }

  /** Many good ones with these among them. */
  private List<Commit> submitAmongGoodOnes(Transaction... others) {
    List<Transaction> all = new ArrayList<>(goodOnes(90));
    for (int i = 0; i < others.length; i++) {
      all.add(20 + 30 * i, others[i]);
    }
    List<Commit> answers = new ArrayList<>(submit(all));
    List<Commit> theirs = new ArrayList<>();
    for (int i = others.length - 1; i >= 0; i--) {
      theirs.add(0, answers.remove(20 + 30 * i));
    }
    assertThat(answers).allMatch(Commit.Judged.class::isInstance);
    return theirs;
  }

  @Test
  void whatWaitsTogetherIsCommittedTogether() {
    List<Commit> answers = submit(goodOnes(1_000));
    assertThat(answers).allMatch(Commit.Judged.class::isInstance);
    assertThat(batchSizes).allMatch(it -> it <= CommitBatcher.MAX_MEMBERS);
    assertThat(batchSizes.size()).isBetween(10, 20);
    assertThat(outcomes).containsOnly(CommitObserver.Outcome.JUDGED);
    assertThat(batcher.waiting()).isZero();
  }

  @Test
  void aMemberThatCannotBeDoneGetsTheRefusalAloneAndAllOthersAreCommitted() {
    List<Commit> theirs =
        submitAmongGoodOnes(steps("bad", key -> List.of(new Op.Touch(key, LeaseHandle.NONE))));
    assertThat(theirs).singleElement().isInstanceOf(Commit.NotCommitted.class);
    assertThat(outcomes).filteredOn(CommitObserver.Outcome.REFUSED::equals).hasSizeBetween(1, 9);
  }

  @Test
  void aMemberOnALeaseThatIsGoneDoesNotTakeOthersWithIt() {
    List<Commit> theirs =
        submitAmongGoodOnes(
            steps("bad", key -> List.of(new Op.Put(key, VALUE, new LeaseHandle(4711)))));
    assertThat(theirs).singleElement().isInstanceOf(Commit.NotCommitted.class);
  }

  @Test
  void twoMembersThatWriteOneKeyAreBothCommittedOneAfterTheOther() {
    Function<Key, List<Op>> steps =
        unused -> List.of(new Op.Put(new Key("test/shared"), VALUE, LeaseHandle.NONE));
    List<Commit> theirs = submitAmongGoodOnes(steps("one", steps), steps("two", steps));
    assertThat(theirs).hasSize(2).allMatch(Commit.Judged.class::isInstance);
  }

  @Test
  void aMemberThatCannotBeBuiltFailsAlone() {
    List<Commit> theirs =
        submitAmongGoodOnes(
            steps(
                "bad",
                key -> {
                  throw new IllegalStateException("as planned");
                }));
    assertThat(theirs).singleElement().isInstanceOf(Commit.NotCommitted.class);
  }

  @Test
  void largeMembersLeaveInSeveralBatchesAndOneThatIsTooLargeIsRefusedAlone() {
    Function<Integer, Function<Key, List<Op>>> put =
        size -> key -> List.of(new Op.Put(key, Value.of(new byte[size]), LeaseHandle.NONE));
    List<Transaction> large =
        IntStream.range(0, 20).mapToObj(i -> steps("large/" + i, put.apply(100_000))).toList();
    assertThat(submit(large)).allMatch(Commit.Judged.class::isInstance);
    assertThat(batchSizes).allMatch(it -> it <= 10);
    assertThat(submitAmongGoodOnes(steps("huge", put.apply(2_000_000))))
        .singleElement()
        .isInstanceOf(Commit.NotCommitted.class);
  }

  @Test
  void wideMembersLeaveInSeveralBatches() {
    Function<Key, List<Op>> wide =
        key ->
            IntStream.range(0, 60)
                .<Op>mapToObj(i -> new Op.Get(new Key(key.path() + "/" + i)))
                .toList();
    List<Transaction> all =
        IntStream.range(0, 100).mapToObj(i -> steps("wide/" + i, wide)).toList();
    assertThat(submit(all)).allMatch(Commit.Judged.class::isInstance);
    assertThat(batchSizes).allMatch(it -> it <= 68);
    assertThat(outcomes).containsOnly(CommitObserver.Outcome.JUDGED);
  }

  @Test
  void oneResourceCannotFillTheQueue() {
    List<Transaction> hot =
        IntStream.range(0, CommitBatcher.MAX_WAITING_PER_RESOURCE + 100)
            .mapToObj(i -> good("hot"))
            .toList();
    List<Commit> answers = submit(hot);
    assertThat(answers).filteredOn(Commit.NotCommitted.class::isInstance).isNotEmpty();
    assertThat(answers)
        .filteredOn(Commit.Judged.class::isInstance)
        .hasSizeGreaterThanOrEqualTo(CommitBatcher.MAX_WAITING_PER_RESOURCE);
  }

  private record New(Transaction transaction) implements Transaction {
    @Override
    public ResourceName resource() {
      return transaction.resource();
    }

    @Override
    public List<TtlClass> ttlClasses() {
      return transaction.ttlClasses();
    }

    @Override
    public boolean isNew() {
      return true;
    }

    @Override
    public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
      return transaction.build(generation, buckets);
    }
  }

  @Test
  void whenManyWaitWhatIsNewIsRefusedAndWhatKeepsAPromiseIsNot() {
    List<Transaction> all =
        new ArrayList<>(
            IntStream.range(0, CommitBatcher.MAX_WAITING_FOR_NEW + 600)
                .mapToObj(i -> new New(good("new/" + i)))
                .toList());
    all.add(good("promised"));
    List<Commit> answers = submit(all);
    assertThat(answers.subList(0, CommitBatcher.MAX_WAITING_FOR_NEW))
        .allMatch(Commit.Judged.class::isInstance);
    assertThat(answers).filteredOn(Commit.NotCommitted.class::isInstance).isNotEmpty();
    assertThat(answers.get(all.size() - 1)).isInstanceOf(Commit.Judged.class);
  }

  @Test
  void manyFlightsThatEndAtOnceDoNotNest() {
    List<Transaction> hot =
        IntStream.range(0, CommitBatcher.MAX_WAITING_PER_RESOURCE)
            .<Transaction>mapToObj(
                i -> steps("hot", key -> List.of(new Op.Get(new Key("x".repeat(1025))))))
            .toList();
    assertThat(submit(hot)).hasSize(hot.size()).allMatch(Commit.NotCommitted.class::isInstance);
    assertThat(submit(goodOnes(1))).allMatch(Commit.Judged.class::isInstance);
  }
}

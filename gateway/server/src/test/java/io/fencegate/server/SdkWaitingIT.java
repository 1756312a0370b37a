/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.client.AcquireAllResult;
import io.fencegate.client.AcquireOptions;
import io.fencegate.client.AcquireRequest;
import io.fencegate.client.AcquireResult;
import io.fencegate.client.FencegateClient;
import io.fencegate.client.HeldLock;
import io.fencegate.client.HeldLocks;
import io.fencegate.client.Operation;
import io.fencegate.client.Write;
import io.fencegate.client.WriteResult;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java SDK's waiting against real gateways. */
class SdkWaitingIT {

  /** Leases outlast the tests: what becomes free was released. */
  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        log: { type: memory }
      resources:
        - name: log
          match: log/{name}
          adapter: log
          lease: { ttl: 60s, maxTtl: 5m }
          operations:
            append: { sql: append, params: { text: text } }
        - name: brief
          match: brief/{name}
          adapter: log
          lease: { ttl: 60s, maxTtl: 5m }
          waiting: { maxWait: 2s }
          operations:
            append: { sql: append, params: { text: text } }
      """;

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final boolean FULL = Boolean.getBoolean("fencegate.full");

  @TempDir static Path folder;
  private static TestGateways gateways;
  private static FencegateClient client;
  private static ExecutorService threads;

  @BeforeAll
  static void start() throws IOException {
    gateways = TestGateways.start(folder, POLICIES, 2);
    client = client(0).build();
    threads = Executors.newCachedThreadPool();
  }

  @AfterAll
  static void stop() {
    threads.shutdownNow();
    client.close();
    gateways.close();
  }

  private static FencegateClient.Builder client(int gateway) {
    return FencegateClient.builder()
        .endpoint(URI.create("http://127.0.0.1:" + gateways.workerPort(gateway)));
  }

  private static ConditionFactory await() {
    return Awaitility.await().atMost(LONG).pollInterval(Duration.ofMillis(50));
  }

  private static JsonObject show(String resource) {
    return gateways.client(0).get("/v1/locks/" + resource).json();
  }

  private static void awaitWaiters(String resource, int count) {
    await().until(() -> show(resource).getInteger("waiters") == count);
  }

  private static HeldLock held(AcquireResult result) {
    return result.fold(
        lock -> lock,
        problem -> {
          throw new AssertionError(problem);
        });
  }

  private static HeldLock acquire(String resource) {
    return held(client.acquire(AcquireRequest.of(resource)));
  }

  private static Future<HeldLock> waiting(FencegateClient by, String resource) {
    return threads.submit(() -> held(by.acquire(AcquireRequest.of(resource).withWait(LONG))));
  }

  private static HeldLock get(Future<HeldLock> lock) throws Exception {
    return lock.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  private static void assertServedInOrder(
      HeldLock holder, Future<HeldLock> first, Future<HeldLock> second) throws Exception {
    holder.close();
    HeldLock next = get(first);
    assertThat(next.token().isAbove(holder.token())).isTrue();
    assertThat(next.remaining()).isPositive();
    assertThat(second.isDone()).isFalse();
    Write write = Write.of(Operation.of("append").param("text", "mine"));
    assertThat(next.write(write)).isInstanceOf(WriteResult.Applied.class);
    next.close();
    HeldLock last = get(second);
    assertThat(last.token().isAbove(next.token())).isTrue();
    last.close();
  }

  @Test
  void waitersAreServedInTheOrderOfTheirArrival() throws Exception {
    HeldLock holder = acquire("log/fifo");
    try (FencegateClient elsewhere = client(1).build()) {
      Future<HeldLock> first = waiting(elsewhere, "log/fifo");
      awaitWaiters("log/fifo", 1);
      Future<HeldLock> second = waiting(client, "log/fifo");
      awaitWaiters("log/fifo", 2);
      assertServedInOrder(holder, first, second);
    }
  }

  /** The hand-over comes after half of a call: a machine may be slow by the other half. */
  @Test
  void aWaitOfManyCallsKeepsItsPlace() throws Exception {
    assertPlaceIsKept("log/long", Duration.ofSeconds(4));
  }

  @Test
  void aWaitThatThePolicyCutsShortGoesOn() throws Exception {
    HeldLock holder = acquire("brief/one");
    Future<HeldLock> next = waiting(client, "brief/one");
    long endNanos = System.nanoTime() + Duration.ofSeconds(5).toNanos();
    await().until(() -> System.nanoTime() - endNanos > 0);
    assertThat(next.isDone()).isFalse();
    holder.close();
    get(next).close();
  }

  private static void assertPlaceIsKept(String resource, Duration perCall) throws Exception {
    HeldLock holder = acquire(resource);
    try (FencegateClient inPieces = client(0).waitPerCall(perCall).build()) {
      Future<HeldLock> first = waiting(inPieces, resource);
      awaitWaiters(resource, 1);
      Future<HeldLock> second = waiting(client, resource);
      awaitWaiters(resource, 2);
      long endNanos = System.nanoTime() + perCall.multipliedBy(FULL ? 10 : 2).toNanos();
      await()
          .until(
              () -> {
                assertThat(show(resource).getInteger("waiters")).isEqualTo(2);
                return System.nanoTime() - endNanos > 0;
              });
      assertServedInOrder(holder, first, second);
    }
  }

  @Test
  void aWaitThatIsOverLeavesNoPlace() {
    HeldLock holder = acquire("log/over");
    AcquireResult result =
        client.acquire(AcquireRequest.of("log/over").withWait(Duration.ofMillis(300)));
    assertThat(((AcquireResult.NotHeld) result).problem().code()).isEqualTo("wait-timeout");
    awaitWaiters("log/over", 0);
    holder.close();
    assertThat(show("log/over").getBoolean("held")).isFalse();
  }

  @Test
  void aClientThatIsClosedLeavesNoPlace() throws Exception {
    HeldLock holder = acquire("log/closed");
    FencegateClient other = client(1).build();
    Future<AcquireResult> wait =
        threads.submit(() -> other.acquire(AcquireRequest.of("log/closed").withWait(LONG)));
    awaitWaiters("log/closed", 1);
    other.close();
    assertThat(show("log/closed").getInteger("waiters")).isZero();
    assertThat(wait.get(10, TimeUnit.SECONDS)).isInstanceOf(AcquireResult.NotHeld.class);
    holder.close();
    await().until(() -> !show("log/closed").getBoolean("held"));
  }

  @Test
  void whatIsGrantedAfterAnInterruptIsReleased() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int rounds = FULL ? 200 : 20;
    for (int i = 0; i < rounds; i++) {
      String resource = "log/late";
      HeldLock holder = acquire(resource);
      AtomicReference<AcquireResult> result = new AtomicReference<>();
      Thread waiter =
          new Thread(() -> result.set(client.acquire(AcquireRequest.of(resource).withWait(LONG))));
      waiter.start();
      awaitWaiters(resource, 1);
      Future<?> release = threads.submit(holder::close);
      spin(random.nextInt(8_000));
      waiter.interrupt();
      waiter.join();
      release.get(10, TimeUnit.SECONDS);
      if (result.get() instanceof AcquireResult.Held kept) {
        kept.lock().close();
      }
      await()
          .alias("round " + i + " of seed " + seed + ": " + result.get())
          .until(() -> !show(resource).getBoolean("held"));
      awaitWaiters(resource, 0);
    }
  }

  /** A moment that is too short to be slept. */
  private static void spin(int micros) {
    long endNanos = System.nanoTime() + micros * 1_000L;
    while (System.nanoTime() - endNanos < 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void thoseWhoWantTheSameLocksInOppositeOrdersNeverBlockEachOther() throws Exception {
    int rounds = FULL ? 100 : 10;
    try (FencegateClient elsewhere = client(1).build()) {
      Future<Integer> there = threads.submit(rounds(client, rounds, "log/x", "log/y", "log/z"));
      Future<Integer> back = threads.submit(rounds(elsewhere, rounds, "log/z", "log/y", "log/x"));
      assertThat(there.get(5, TimeUnit.MINUTES)).isEqualTo(rounds);
      assertThat(back.get(5, TimeUnit.MINUTES)).isEqualTo(rounds);
    }
    for (String resource : List.of("log/x", "log/y", "log/z")) {
      assertThat(show(resource).getBoolean("held")).isFalse();
      assertThat(show(resource).getInteger("waiters")).isZero();
    }
  }

  private static Callable<Integer> rounds(FencegateClient by, int rounds, String... resources) {
    return () -> {
      AcquireOptions options = AcquireOptions.DEFAULTS.withWait(LONG);
      for (int i = 0; i < rounds; i++) {
        AcquireAllResult result = by.acquireAll(List.of(resources), options);
        if (!(result instanceof AcquireAllResult.Held held)) {
          throw new AssertionError(result);
        }
        try (HeldLocks locks = held.locks()) {
          assertThat(locks.isHeld()).isTrue();
        }
      }
      return rounds;
    };
  }

  @Test
  void oneOfSeveralThatCannotBeHadLeavesNoneHeld() {
    HeldLock holder = acquire("log/b");
    AcquireAllResult result =
        client.acquireAll(
            new ArrayList<>(List.of("log/c", "log/b", "log/a")),
            AcquireOptions.DEFAULTS.withWait(Duration.ofMillis(500)));
    assertThat(result)
        .isInstanceOfSatisfying(
            AcquireAllResult.NotHeld.class,
            notHeld -> assertThat(notHeld.resource()).hasToString("log/b"));
    assertThat(show("log/a").getBoolean("held")).isFalse();
    assertThat(show("log/c").getBoolean("held")).isFalse();
    holder.close();
  }
}

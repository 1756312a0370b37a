/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.SealOutcome;
import io.fencegate.adapter.tck.LogEntry;
import io.fencegate.adapter.tck.OnContext;
import io.fencegate.adapter.tck.WriteHistory;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Two gateways with pools of their own, of which neither knows what the other does, write at random
 * tokens around the newest one: holders, successors and zombies at once.
 */
class ZombieCampaignIT {

  private static final boolean FULL = Boolean.getBoolean("fencegate.full");
  private static final int WRITES = FULL ? 40_000 : 4_000;
  private static final int WRITERS = 8;
  private static final Duration LONGEST_RAISE = Duration.ofSeconds(2);

  /** For {@code locked} ones a trigger takes a row lock and counts decreases as they happen. */
  private static final List<ResourceName> RESOURCES =
      List.of(
          new ResourceName("open/one"),
          new ResourceName("open/two"),
          new ResourceName("locked/one"),
          new ResourceName("locked/two"));

  private final Vertx vertx = Vertx.vertx();
  private final WriteHistory history = new WriteHistory();
  private final Map<String, AtomicLong> counts = Collections.synchronizedMap(new TreeMap<>());
  private final List<AtomicLong> newest = RESOURCES.stream().map(r -> new AtomicLong(1)).toList();
  private final AtomicLong slowestRaiseNanos = new AtomicLong();
  private TestDatabase database;
  private List<TestGateway> gateways;

  @RegisterExtension
  final BeforeEachCallback ownDatabase = context -> database = TestDatabase.create(context);

  /** The second trigger widens the window between the guard and COMMIT. */
  @BeforeEach
  void open() {
    database.run(
        """
        CREATE TABLE highest (resource text PRIMARY KEY, token bigint, decreases int DEFAULT 0);
        CREATE FUNCTION keep_highest() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO highest AS h (resource, token) VALUES (NEW.resource, NEW.token)
            ON CONFLICT (resource) DO UPDATE SET token = excluded.token,
              decreases = h.decreases + (h.token > excluded.token)::int;
          RETURN NULL;
        END $$;
        CREATE TRIGGER keep_highest AFTER INSERT ON entries FOR EACH ROW
          WHEN (NEW.resource LIKE 'locked/%') EXECUTE FUNCTION keep_highest();
        CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_sleep(random() * 0.004);
          RETURN NEW;
        END $$;
        CREATE TRIGGER dawdle BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION dawdle();
        """);
    gateways =
        List.of(
            new TestGateway(vertx, database.settings(Map.of("pool", Map.of("size", 12)))),
            new TestGateway(vertx, database.settings(Map.of("pool", Map.of("size", 12)))));
    for (ResourceName resource : RESOURCES) {
      gateways.get(0).sealed(resource, 1);
    }
  }

  @AfterEach
  void stop() {
    gateways.forEach(TestGateway::close);
    OnContext.await(vertx.close().toCompletionStage().toCompletableFuture());
  }

  @Test
  void tokensNeverDecreaseWhateverZombiesAndHoldersDo() throws Exception {
    long seed = System.nanoTime();
    System.out.println("zombie campaign, seed " + seed);
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    List<CompletableFuture<Void>> all =
        IntStream.range(0, WRITERS)
            .mapToObj(
                i -> CompletableFuture.runAsync(() -> writeSome(i, new Random(seed + i)), writers))
            .toList();
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
    writers.shutdown();
    Duration slowest = Duration.ofNanos(slowestRaiseNanos.get());
    System.out.println("zombie campaign: " + counts + ", slowest raise " + slowest);
    checkLogs();
    assertThat(slowest).isLessThan(LONGEST_RAISE);
    assertThat(counts.get("Applied").get()).isPositive();
    assertThat(counts.get("Stale").get()).isPositive();
    assertThat(counts.keySet()).doesNotContain("Unknown", "Rejected 40P01");
  }

  @Test
  void raiseUnderAStreamOfOlderWritesIsQuick() {
    ResourceName resource = RESOURCES.get(0);
    AtomicBoolean stop = new AtomicBoolean();
    List<CompletableFuture<Void>> streams = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      int stream = i;
      streams.add(
          CompletableFuture.runAsync(
              () -> {
                for (int n = 0; !stop.get(); n++) {
                  String value = "s" + stream + "-" + n;
                  TestGateway gateway = gateways.get(stream % 2);
                  history.note(value, gateway.append(resource, 1, value));
                }
              }));
    }
    long from = System.nanoTime();
    gateways.get(0).sealed(resource, 2);
    Duration took = Duration.ofNanos(System.nanoTime() - from);
    stop.set(true);
    streams.forEach(CompletableFuture::join);
    System.out.println("raise under a stream of older writes: " + took);
    assertThat(took).isLessThan(LONGEST_RAISE);
    checkLogs();
  }

  private void checkLogs() {
    List<LogEntry> shown = new ArrayList<>();
    for (ResourceName resource : RESOURCES) {
      List<LogEntry> log = database.log(resource);
      history.check(log);
      shown.addAll(log);
    }
    history.checkComplete(shown);
    assertThat(database.column("SELECT resource FROM highest WHERE decreases > 0")).isEmpty();
    assertThat(
            database.column(
                "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"))
        .containsExactly("0");
  }

  private void writeSome(int writer, Random random) {
    TestGateway gateway = gateways.get(writer % gateways.size());
    for (int n = 0; n < WRITES / WRITERS; n++) {
      int which = random.nextInt(RESOURCES.size());
      AtomicLong highest = newest.get(which);
      int dice = random.nextInt(100);
      long token = dice < 5 ? highest.incrementAndGet() : Math.max(1, highest.get() - dice % 3);
      write(gateway, RESOURCES.get(which), token, writer + "-" + n);
    }
  }

  /** As a gateway does: where the token is new to the database, seal and try once more. */
  private void write(TestGateway gateway, ResourceName resource, long token, String value) {
    ApplyOutcome outcome = gateway.append(resource, token, value);
    if (outcome instanceof ApplyOutcome.SealFirst) {
      count("SealFirst");
      long from = System.nanoTime();
      SealOutcome sealed = gateway.seal(resource, token);
      slowestRaiseNanos.accumulateAndGet(System.nanoTime() - from, Math::max);
      count(sealed.getClass().getSimpleName() + " seal");
      outcome = gateway.append(resource, token, value);
    }
    history.note(value, outcome);
    String state = outcome instanceof ApplyOutcome.Rejected no ? " " + no.refusal().sqlState() : "";
    count(outcome.getClass().getSimpleName() + state);
  }

  private void count(String what) {
    counts.computeIfAbsent(what, unseen -> new AtomicLong()).incrementAndGet();
  }

  /** The log's own order must be believable: tokens of one resource really change in it. */
  @Test
  void theLogShowsEveryTermInOrder() {
    ResourceName resource = RESOURCES.get(3);
    for (long token = 2; token < 6; token++) {
      gateways.get((int) (token % 2)).sealed(resource, token);
      String value = "t" + token;
      history.note(value, gateways.get((int) (token % 2)).append(resource, token, value));
    }
    assertThat(database.log(resource))
        .extracting(LogEntry::token)
        .containsExactly(
            new FencingToken(2), new FencingToken(3), new FencingToken(4), new FencingToken(5));
    checkLogs();
  }
}

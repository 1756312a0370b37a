/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static io.fencegate.server.proxy.GatewayPair.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.fencegate.server.GatewayProcess;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A gateway that is told to end while much is under way, beside one that goes on. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ShutdownIT {

  /** The adapter's timeout: what is not answered by then is in doubt, and the shutdown goes on. */
  private static final Duration LONGEST_WRITE = Duration.ofSeconds(6);

  private static final Duration GRACE = Duration.ofSeconds(10);
  private static final Duration EXIT = Duration.ofSeconds(2);
  private static final int RESOURCES = 10;
  private static final int WRITES = 99;
  private static final int WAITERS = 20;

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        api: { type: http, url: "http://127.0.0.1:@api@", timeout: 6s, pool: { size: 128, queue: 64 } }
      resources:
        - name: busy
          match: busy/{tenant}
          adapter: api
          guarantee: serialized
          http: { route: "/busy/{tenant}/**", methods: [POST], reads: allow }
          idempotency: { required: true, retention: 1h }
      """;

  @TempDir Path folder;
  private final ExecutorService callers = Executors.newCachedThreadPool();
  private GatewayPair pair;

  @BeforeEach
  void start() throws IOException {
    pair = new GatewayPair(folder, POLICIES);
  }

  @AfterEach
  void stop() {
    pair.close();
    callers.shutdownNow();
  }

  private <T> CompletableFuture<T> async(Callable<T> call) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return call.call();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        },
        callers);
  }

  private static <T> T get(CompletableFuture<T> answer) {
    return answer.orTimeout(60, TimeUnit.SECONDS).join();
  }

  private static Map<String, String> key(int number) {
    return Map.of("Idempotency-Key", "k-" + number);
  }

  private static Answer waitFor(GatewayProcess gateway, String resource) {
    return gateway
        .worker()
        .post(
            "/v1/locks/acquire",
            new JsonObject()
                .put("resource", resource)
                .put("requestId", UUID.randomUUID().toString())
                .put("leaseTtlMs", 30_000)
                .put("waitTimeoutMs", 60_000));
  }

  private int waiters(String resource) {
    return pair.gateway(1)
        .operator()
        .get("/admin/v1/resources/" + resource)
        .json()
        .getInteger("waiters");
  }

  @Test
  void whatIsInFlightEndsTrulyAndTheOtherGatewayReplaysIt() throws Exception {
    GatewayProcess ending = pair.gateway(0);
    List<Lock> locks = new ArrayList<>();
    for (int i = 0; i < RESOURCES; i++) {
      locks.add(pair.lock(0, pair.ownedBy(0, "busy"), 120_000));
    }
    Lock slow = pair.lock(0, pair.ownedBy(0, "busy"), 120_000);
    Lock calm = pair.lock(0, pair.ownedBy(0, "busy"), 120_000);
    List<CompletableFuture<Answer>> waiting = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      waiting.add(async(() -> waitFor(ending, slow.resource())));
    }
    eventually(() -> waiters(slow.resource()) == WAITERS);
    List<CompletableFuture<Answer>> writes = new ArrayList<>();
    for (int i = 0; i < WRITES; i++) {
      int number = i;
      writes.add(
          async(() -> pair.send(0, locks.get(number % RESOURCES), "late-3000", key(number))));
    }
    CompletableFuture<Answer> slowest = async(() -> pair.send(0, slow, "late-30000", key(WRITES)));
    eventually(() -> pair.downstream.heads().size() == WRITES + 1);
    try (RawHttp kept = new RawHttp(ending.workerPort())) {
      kept.send("GET /v1/locks/" + calm.resource() + " HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(kept.head()).startsWith("HTTP/1.1 200");

      long startNanos = System.nanoTime();
      CompletableFuture<Integer> exit = async(ending::terminate);
      eventually(() -> ending.operator().get("/readyz").status() == 503);
      eventually(() -> waiters(slow.resource()) == 0);
      Duration waitersGone = Duration.ofNanos(System.nanoTime() - startNanos);
      CompletableFuture<Integer> secondSignal = async(ending::terminate);

      kept.send(
          ProxyFixture.head(calm, "POST", "a")
              + "Idempotency-Key: old-connection\r\nContent-Length: 1\r\n\r\nx");
      assertThat(kept.head())
          .containsPattern("HTTP/1.1 (200|503) ")
          .containsPattern("Fencing-Decision: (accepted|rejected)")
          .containsIgnoringCase("connection: close");

      writes.forEach(
          it -> {
            Answer answer = get(it);
            assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
            assertThat(answer.header("Fencing-Decision")).isEqualTo("accepted");
          });
      Answer doubt = get(slowest);
      assertThat(doubt.code()).as(doubt.toString()).isEqualTo("outcome-unknown");
      waiting.forEach(it -> assertThat(get(it).json().getString("outcome")).isEqualTo("rejected"));
      assertThat(get(exit)).isZero();
      assertThat(get(secondSignal)).isZero();
      Duration ended = Duration.ofNanos(System.nanoTime() - startNanos);
      System.out.printf(
          "figures: waiters gone %d ms after SIGTERM, exit after %d ms%n",
          waitersGone.toMillis(), ended.toMillis());
      assertThat(waitersGone).isLessThan(Duration.ofSeconds(2));
      assertThat(ended).isLessThan(GRACE.plus(EXIT)).isGreaterThan(LONGEST_WRITE.minus(EXIT));
    }
    replayedByTheOther(locks, slow);
  }

  private void replayedByTheOther(List<Lock> locks, Lock slow) {
    for (int i = 0; i < WRITES; i++) {
      Answer replay = pair.send(1, locks.get(i % RESOURCES), "late-3000", key(i));
      assertThat(replay.status()).as(replay.toString()).isEqualTo(200);
      assertThat(replay.header("Idempotent-Replayed")).isEqualTo("true");
    }
    Answer known =
        pair.gateway(1).worker().get("/v1/writes/" + slow.resource() + "?key=k-" + WRITES);
    assertThat(known.json().getString("outcome")).as(known.toString()).isEqualTo("unknown");
    assertThat(pair.send(1, slow, "late-30000", key(WRITES)).code()).isEqualTo("outcome-unknown");
    assertThat(pair.downstream.heads())
        .filteredOn(it -> !it.contains("late-"))
        .hasSizeLessThanOrEqualTo(1);
    assertThat(pair.downstream.heads()).filteredOn(it -> it.contains("late-")).hasSize(WRITES + 1);
  }
}

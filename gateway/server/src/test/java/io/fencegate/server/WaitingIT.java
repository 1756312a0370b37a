/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Waiting for locks as callers see it: over HTTP, through two gateways. */
class WaitingIT {

  private static final AtomicInteger NEXT = new AtomicInteger();

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        log: { type: memory }
      resources:
        - name: jobs
          match: jobs/{job}
          adapter: log
          waiting: { maxWaiters: 3, maxWait: 20s }
          operations: { put: { sql: put } }
        - name: brief
          match: brief/{job}
          adapter: log
          waiting: { maxWait: 1s }
          operations: { put: { sql: put } }
      """;

  @TempDir Path folder;
  private final ExecutorService callers = Executors.newCachedThreadPool();
  private TestGateways gateways;
  private ApiClient one;
  private ApiClient two;
  private String resource;

  @BeforeEach
  void start() throws IOException {
    gateways = TestGateways.start(folder, POLICIES, 2);
    one = gateways.client(0);
    two = gateways.client(1);
    resource = "jobs/j" + NEXT.incrementAndGet();
  }

  @AfterEach
  void stop() {
    gateways.close();
    callers.shutdownNow();
  }

  private static JsonObject acquire(String resource, String requestId, long waitMillis) {
    return new JsonObject()
        .put("resource", resource)
        .put("requestId", requestId)
        .put("waitTimeoutMs", waitMillis);
  }

  private CompletableFuture<Answer> waitFor(ApiClient gateway, String requestId) {
    JsonObject body = acquire(resource, requestId, 15_000);
    return CompletableFuture.supplyAsync(() -> gateway.post("/v1/locks/acquire", body), callers);
  }

  private static Answer answer(CompletableFuture<Answer> coming) {
    return coming.orTimeout(20, TimeUnit.SECONDS).join();
  }

  private int waiters() {
    return two.get("/v1/locks/" + resource).json().getInteger("waiters");
  }

  private void awaitWaiters(int count) {
    awaitUntil(() -> waiters() == count);
  }

  private static void awaitUntil(Callable<Boolean> condition) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(10))
        .atMost(Duration.ofSeconds(10))
        .until(condition);
  }

  private void release(ApiClient gateway, Lock lock) {
    Answer answer =
        gateway.post(
            "/v1/locks/release",
            new JsonObject().put("resource", lock.resource()).put("leaseId", lock.leaseId()));
    assertThat(answer.json().getBoolean("released")).as(answer.toString()).isTrue();
  }

  /** A caller on a connection of its own that can be cut. */
  private Socket rawWaiter(String requestId) throws IOException {
    String body = acquire(resource, requestId, 15_000).encode();
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateways.workerPort(0));
    socket
        .getOutputStream()
        .write(
            ("POST /v1/locks/acquire HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                    + "Content-Length: "
                    + body.length()
                    + "\r\n\r\n"
                    + body)
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  @Test
  void whoWaitsIsAnsweredTheLockWhenItIsReleasedOnAnotherGateway() {
    Lock held = one.acquire(resource);
    CompletableFuture<Answer> waiting = waitFor(two, "r1");
    awaitWaiters(1);
    release(one, held);
    Answer granted = answer(waiting);
    assertThat(granted.status()).isEqualTo(200);
    assertThat(Long.parseLong(granted.json().getString("fencingToken")))
        .isGreaterThan(Long.parseLong(held.token()));
    awaitWaiters(0);
  }

  @Test
  void aConnectionThatIsClosedOrResetTakesItsCallerOutOfTheQueue() throws IOException {
    Lock held = one.acquire(resource);
    Socket closed = rawWaiter("r1");
    awaitWaiters(1);
    Socket reset = rawWaiter("r2");
    awaitWaiters(2);
    CompletableFuture<Answer> next = waitFor(two, "r3");
    awaitWaiters(3);
    closed.close();
    reset.setSoLinger(true, 0);
    reset.close();
    awaitWaiters(1);
    release(one, held);
    assertThat(answer(next).status()).isEqualTo(200);
  }

  @Test
  void aLockThatWasAnsweredIsNotFreedWhenItsConnectionEnds() throws IOException {
    Lock held = one.acquire(resource);
    Socket waiter = rawWaiter("r1");
    awaitWaiters(1);
    release(one, held);
    byte[] start = waiter.getInputStream().readNBytes(12);
    assertThat(new String(start, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 200");
    waiter.close();
    Answer again = two.post("/v1/locks/acquire", acquire(resource, "r1", 0));
    assertThat(again.json().getLong("remainingMs")).isPositive();
    assertThat(two.get("/v1/locks/" + resource).json().getString("fencingToken"))
        .isEqualTo(again.json().getString("fencingToken"));
  }

  @Test
  void aStreamThatIsResetTakesItsCallerOutOfTheQueue() {
    one.acquire(resource);
    HttpClient http =
        gateways
            .vertx()
            .createHttpClient(
                new HttpClientOptions()
                    .setProtocolVersion(HttpVersion.HTTP_2)
                    .setHttp2ClearTextUpgrade(false));
    HttpClientRequest request =
        TestGateways.await(
            http.request(
                HttpMethod.POST, gateways.workerPort(0), "127.0.0.1", "/v1/locks/acquire"));
    request.putHeader("Content-Type", "application/json");
    TestGateways.await(request.end(acquire(resource, "r1", 15_000).toBuffer()));
    assertThat(request.version()).isEqualTo(HttpVersion.HTTP_2);
    awaitWaiters(1);
    request.reset(8);
    awaitWaiters(0);
    TestGateways.await(http.close());
  }

  @Test
  void aCancelOnAnyGatewayEndsTheWait() {
    Lock held = one.acquire(resource);
    CompletableFuture<Answer> waiting = waitFor(one, "r1");
    awaitWaiters(1);
    JsonObject cancel = new JsonObject().put("resource", resource).put("requestId", "r1");
    assertThat(two.post("/v1/locks/cancel", cancel).json())
        .isEqualTo(new JsonObject().put("resource", resource).put("cancelled", true));
    Answer ended = answer(waiting);
    assertThat(ended.status()).isEqualTo(409);
    assertThat(ended.code()).isEqualTo("lease-lost");
    assertThat(two.post("/v1/locks/cancel", cancel).json().getString("reason"))
        .isEqualTo("not-waiting");
    release(one, held);
  }

  @Test
  void aRepeatIsAnsweredTheLockAndTheEarlierCallThatItIsInFlight() {
    Lock held = one.acquire(resource);
    CompletableFuture<Answer> first = waitFor(one, "r1");
    awaitWaiters(1);
    CompletableFuture<Answer> again = waitFor(two, "r1");
    Answer superseded = answer(first);
    assertThat(superseded.status()).isEqualTo(409);
    assertThat(superseded.code()).isEqualTo("in-flight");
    assertThat(waiters()).isEqualTo(1);
    release(one, held);
    assertThat(answer(again).status()).isEqualTo(200);
  }

  @Test
  void aWaitIsCutToWhatThePolicyAllows() {
    resource = "brief/b" + NEXT.incrementAndGet();
    one.acquire(resource);
    long start = System.nanoTime();
    Answer ended = one.post("/v1/locks/acquire", acquire(resource, "r1", 3_600_000));
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(Duration.ofMillis(900), Duration.ofSeconds(8));
    assertThat(ended.status()).isEqualTo(409);
    assertThat(ended.code()).isEqualTo("wait-timeout");
    assertThat(ended.json().getBoolean("retryable")).isTrue();
    assertThat(ended.json().getString("outcome")).isEqualTo("rejected");
    assertThat(waiters()).isZero();
  }

  @Test
  void moreThanThePolicyAllowsAreToldToComeBackLater() {
    one.acquire(resource);
    List<CompletableFuture<Answer>> waiting = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      waiting.add(waitFor(i == 2 ? one : two, "r" + i));
      awaitWaiters(i);
    }
    Answer refused = two.post("/v1/locks/acquire", acquire(resource, "r4", 5_000));
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.code()).isEqualTo("too-many-waiters");
    assertThat(refused.header("Retry-After")).isEqualTo("1");
    assertThat(
            gateways
                .operator(0)
                .get("/admin/v1/resources/" + resource)
                .json()
                .getInteger("waiters"))
        .isEqualTo(3);
    assertThat(waiting).noneMatch(CompletableFuture::isDone);
  }

  @Test
  void aGatewayThatStopsAnswersItsWaitsAtOnceAndLeavesNoEntry() {
    Lock held = two.acquire(resource);
    CompletableFuture<Answer> waiting = waitFor(one, "r1");
    awaitWaiters(1);
    CompletableFuture<Answer> elsewhere = waitFor(two, "r2");
    awaitWaiters(2);
    long start = System.nanoTime();
    gateways.stop(0);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    Answer drained = answer(waiting);
    assertThat(drained.status()).isEqualTo(503);
    assertThat(drained.code()).isEqualTo("draining");
    assertThat(waiters()).isEqualTo(1);
    release(two, held);
    assertThat(answer(elsewhere).status()).isEqualTo(200);
  }

  @Test
  void manyLocksReleasedAtOnceAreAllHandedOver() {
    int locks = 40;
    String base = resource + UUID.randomUUID().toString().substring(0, 4);
    List<Lock> held = new ArrayList<>();
    List<CompletableFuture<Answer>> waiting = new ArrayList<>();
    for (int i = 0; i < locks; i++) {
      resource = base + "-" + i;
      held.add(one.acquire(resource));
      JsonObject body = acquire(resource, "r1", 15_000);
      waiting.add(
          CompletableFuture.supplyAsync(() -> two.post("/v1/locks/acquire", body), callers));
      awaitWaiters(1);
    }
    held.forEach(lock -> release(one, lock));
    waiting.forEach(w -> assertThat(answer(w).status()).isEqualTo(200));
  }
}

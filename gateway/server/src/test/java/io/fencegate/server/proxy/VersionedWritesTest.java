/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencegate.adapter.tck.FaultProxy;
import io.fencegate.server.ApiClient;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.fencegate.server.TestGateways;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writes that name the version they replace, through two gateways of which nobody owns anything.
 */
class VersionedWritesTest {

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        docs: { type: http, url: "http://127.0.0.1:@wire@", fencing: conditional, etag: versioned, timeout: 6s, connectTimeout: 2s }
      resources:
        - name: docs
          match: docs/{doc}
          adapter: docs
          guarantee: strict
          http: { route: "/docs/{doc}", methods: [PUT, PATCH], reads: allow }
      """;

  private static final AtomicInteger NEXT = new AtomicInteger();

  @TempDir static Path folder;
  private static final Vertx VERTX = Vertx.vertx();
  private static VersionedDownstream downstream;
  private static FaultProxy wire;
  private static TestGateways gateways;
  private static List<ApiClient> clients;
  private Lock lock;

  @BeforeAll
  static void start() throws IOException {
    downstream = new VersionedDownstream();
    wire =
        FaultProxy.start(VERTX, "127.0.0.1", downstream.port())
            .toCompletionStage()
            .toCompletableFuture()
            .orTimeout(10, TimeUnit.SECONDS)
            .join();
    gateways =
        TestGateways.start(folder, POLICIES.replace("@wire@", Integer.toString(wire.port())), 2);
    clients = IntStream.range(0, 2).mapToObj(gateways::client).toList();
  }

  @AfterAll
  static void stop() {
    gateways.close();
    wire.close().toCompletionStage().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    VERTX.close().toCompletionStage().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    downstream.close();
  }

  @BeforeEach
  void freshResource() {
    lock = clients.get(0).acquire("docs/d" + NEXT.incrementAndGet());
    downstream.asked().clear();
    downstream.applied().clear();
  }

  @AfterEach
  void heal() {
    wire.pass();
  }

  private static Answer put(int gateway, Lock by, String body, Map<String, String> more) {
    Map<String, String> headers = new HashMap<>(more);
    headers.put("Fencing-Token", by.token());
    headers.put("Fencing-Lease", by.leaseId());
    return clients.get(gateway).send("PUT", "/" + by.resource(), body, headers);
  }

  private static Answer put(int gateway, Lock by, String body) {
    return put(gateway, by, body, Map.of());
  }

  private static CompletableFuture<Answer> start(int gateway, Lock by, String body) {
    return CompletableFuture.supplyAsync(() -> put(gateway, by, body));
  }

  private static Answer get(CompletableFuture<Answer> answer) {
    return answer.orTimeout(20, TimeUnit.SECONDS).join();
  }

  private static Lock handOver(Lock from) {
    clients.get(0).release(from);
    return clients.get(1).acquire(from.resource());
  }

  private String line(Lock by, String body) {
    return "/" + by.resource() + " " + by.token() + " " + body;
  }

  @Test
  void eachWriteReplacesTheVersionThatIsThereThroughWhicheverGateway() {
    for (int i = 0; i < 4; i++) {
      Answer answer = put(i % 2, lock, "w" + i);
      assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("replaced");
      assertThat(answer.header("Fencing-Guarantee")).isEqualTo("strict");
      assertThat(answer.header("Fencing-Decision")).isEqualTo("accepted");
      assertThat(answer.header("ETag")).startsWith("\"v");
    }
    assertThat(downstream.applied())
        .containsExactly(line(lock, "w0"), line(lock, "w1"), line(lock, "w2"), line(lock, "w3"));
  }

  @Test
  void aGatewayThatStoodStillBetweenItsLastLookAndItsFirstByteLosesToTheNewerToken() {
    wire.holdOnceSent("PUT ");
    CompletableFuture<Answer> zombie = start(0, lock, "zombie");
    await().until(wire::hasStruck);
    Lock newer = handOver(lock);
    Answer won = put(1, newer, "newer");
    assertThat(won.status()).as(won.toString()).isEqualTo(200);
    wire.pass();
    Answer lost = get(zombie);
    assertThat(lost.status()).as(lost.toString()).isEqualTo(412);
    assertThat(lost.code()).isEqualTo("stale-token");
    assertThat(lost.json().getString("outcome")).isEqualTo("rejected");
    assertThat(downstream.asked()).filteredOn(it -> it.startsWith("PUT")).hasSize(2);
    assertThat(downstream.applied()).containsExactly(line(newer, "newer"));
  }

  @Test
  void aTokenIsConfirmedAfterTheVersionWasReadAndNotBefore() {
    assertThat(put(0, lock, "first").status()).isEqualTo(200);
    wire.holdOnceSent("HEAD ");
    CompletableFuture<Answer> zombie = start(0, lock, "zombie");
    await().until(wire::hasStruck);
    Lock newer = handOver(lock);
    assertThat(put(1, newer, "newer").status()).isEqualTo(200);
    wire.pass();
    assertThat(get(zombie).code()).isEqualTo("stale-token");
    assertThat(downstream.applied()).containsExactly(line(lock, "first"), line(newer, "newer"));
    assertThat(downstream.asked()).filteredOn(it -> it.startsWith("PUT")).hasSize(2);
  }

  @Test
  void theSameHoldersWriteThroughAnotherGatewayMakesARepeatWorthwhile() {
    wire.holdOnceSent("PUT ");
    CompletableFuture<Answer> slow = start(0, lock, "slow");
    await().until(wire::hasStruck);
    assertThat(put(1, lock, "quick").status()).isEqualTo(200);
    wire.pass();
    Answer overtaken = get(slow);
    assertThat(overtaken.status()).as(overtaken.toString()).isEqualTo(503);
    assertThat(overtaken.code()).isEqualTo("downstream-busy");
    assertThat(overtaken.json().getString("outcome")).isEqualTo("rejected");
    assertThat(overtaken.json().getBoolean("retryable")).isTrue();
    assertThat(put(0, lock, "slow").status()).isEqualTo(200);
    assertThat(downstream.applied()).containsExactly(line(lock, "quick"), line(lock, "slow"));
  }

  @Test
  void writesOfOneGatewayTakeTurnsSoThatNoneOvertakesAnother() {
    List<CompletableFuture<Answer>> all =
        IntStream.range(0, 8).mapToObj(i -> start(0, lock, "w" + i)).toList();
    all.forEach(it -> assertThat(get(it).status()).as(get(it).toString()).isEqualTo(200));
    assertThat(downstream.applied()).hasSize(8).doesNotHaveDuplicates();
  }

  @Test
  void whatWasOvertakenLeavesItsKeyFree() {
    Map<String, String> key = Map.of("Idempotency-Key", "k1");
    wire.holdOnceSent("PUT ");
    CompletableFuture<Answer> slow = CompletableFuture.supplyAsync(() -> put(0, lock, "slow", key));
    await().until(wire::hasStruck);
    assertThat(put(1, lock, "quick").status()).isEqualTo(200);
    wire.pass();
    assertThat(get(slow).code()).isEqualTo("downstream-busy");
    assertThat(put(1, lock, "slow", key).status()).isEqualTo(200);
    Answer again = put(0, lock, "slow", key);
    assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
    assertThat(downstream.applied()).containsExactly(line(lock, "quick"), line(lock, "slow"));
  }

  @Test
  void aCallersOwnVersionHasToBeTheOneThatIsThere() {
    String present = put(0, lock, "first").header("ETag");
    Answer other = put(0, lock, "second", Map.of("If-Match", "\"v0\""));
    assertThat(other.status()).as(other.toString()).isEqualTo(422);
    assertThat(other.json().getString("field")).isEqualTo("If-Match");
    assertThat(put(0, lock, "third", Map.of("If-Match", present)).status()).isEqualTo(200);
    assertThat(downstream.applied()).containsExactly(line(lock, "first"), line(lock, "third"));
  }

  @Test
  void whatHasNoVersionIsNotWritten() {
    Lock gone = clients.get(0).acquire(lock.resource() + "-gone");
    assertThat(put(0, gone, "x").code()).isEqualTo("operation-failed");
    Lock weak = clients.get(0).acquire(lock.resource() + "-weak");
    assertThat(put(0, weak, "x").code()).isEqualTo("downstream-unavailable");
    Answer query =
        clients
            .get(0)
            .send(
                "PUT",
                "/" + lock.resource() + "?part=2",
                "x",
                Map.of("Fencing-Token", lock.token(), "Fencing-Lease", lock.leaseId()));
    assertThat(query.status()).as(query.toString()).isEqualTo(400);
    assertThat(put(0, lock, "x", Map.of("If-None-Match", "*")).status()).isEqualTo(400);
    assertThat(downstream.asked()).noneMatch(it -> it.startsWith("PUT"));
  }

  @Test
  void nobodyPromisesThatOlderWritesAreShutOutBeforeANewerOneHasLanded() {
    Answer seal = clients.get(0).seal(lock);
    assertThat(seal.status()).as(seal.toString()).isEqualTo(405);
    Answer broken =
        gateways
            .operator(0)
            .post(
                "/admin/v1/locks/break",
                new JsonObject().put("resource", lock.resource()).put("reason", "test"));
    assertThat(broken.json().getString("outcome")).isEqualTo("unknown");
    assertThat(broken.json().getString("detail")).contains("is broken").contains("versions");
    assertThat(put(0, lock, "late").status()).isEqualTo(412);
    assertThat(downstream.applied()).isEmpty();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A freeze while requests to an HTTP service are under way. */
class FrozenRoutesTest {

  /** As many as the policy's pool has connections. */
  private static final int CONNECTIONS = 4;

  @TempDir Path folder;
  private ProxyFixture fixture;

  @BeforeEach
  void start() throws IOException {
    fixture = new ProxyFixture(folder, Way.DIRECT);
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private static void eventually(Callable<Boolean> condition) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .pollInterval(Duration.ofMillis(10))
        .until(condition);
  }

  private static Answer answer(CompletableFuture<Answer> started) {
    return started.orTimeout(20, TimeUnit.SECONDS).join();
  }

  private void freezeAll() {
    Answer frozen =
        fixture
            .gateways
            .operator(0)
            .post(
                "/admin/v1/freezes",
                new JsonObject().put("scope", "all").put("reason", "data centre moves"));
    assertThat(frozen.status()).as(frozen.toString()).isEqualTo(200);
  }

  private static void assertFrozen(Answer answer) {
    assertThat(answer.status()).as(answer.toString()).isEqualTo(423);
    assertThat(answer.code()).isEqualTo("frozen");
    assertThat(answer.json().getString("outcome")).isEqualTo("rejected");
    assertThat(answer.json().getString("detail")).contains("data centre moves");
  }

  @Test
  void whatWasSentEndsAndWhatWaitedForAConnectionIsNotSent() {
    List<CompletableFuture<Answer>> sent = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      sent.add(fixture.start(fixture.api.acquire(fixture.fresh("ledger")), "hold"));
    }
    eventually(() -> fixture.downstream.held() == CONNECTIONS);
    Lock lock = fixture.api.acquire(fixture.fresh("ledger"));
    CompletableFuture<Answer> waiting = fixture.start(lock, "a");
    eventually(() -> inFlight() == CONNECTIONS + 1);
    freezeAll();
    fixture.downstream.release();
    sent.forEach(it -> assertThat(answer(it).status()).isEqualTo(200));
    assertFrozen(answer(waiting));
    assertThat(fixture.downstream.heads()).hasSize(CONNECTIONS);
  }

  private int inFlight() {
    return fixture
        .gateways
        .operator(0)
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("fencegate_writes_in_flight "))
        .mapToInt(line -> (int) Double.parseDouble(line.substring(line.indexOf(' '))))
        .sum();
  }

  @Test
  void aSuccessorThatWaitedForItsTurnIsNotSent() {
    Lock old = fixture.api.acquire(fixture.fresh("ledger"));
    CompletableFuture<Answer> sent = fixture.start(old, "hold");
    eventually(() -> fixture.downstream.held() == 1);
    Lock next = fixture.handOver(old);
    CompletableFuture<Answer> waiting = fixture.start(next, "a");
    eventually(() -> inFlight() == 2);
    freezeAll();
    fixture.downstream.release();
    assertThat(answer(sent).status()).isEqualTo(200);
    assertFrozen(answer(waiting));
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  @Test
  void readsThatThePolicyAllowsGoOn() {
    Lock lock = fixture.api.acquire(fixture.fresh("ledger"));
    freezeAll();
    assertFrozen(fixture.send(lock, "POST", "a", "x"));
    assertThat(fixture.api.send("GET", "/" + lock.resource() + "/a", "", Map.of()).status())
        .isEqualTo(200);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One Idempotency-Key through two gateways. */
class KeyedGatewaysTest {

  private static final int CALLERS = 50;
  private static final int REPEATS = 10;
  private static final int RESOURCES = 20;
  private static final int FIRST = 0;
  private static final int SECOND = 1;

  @TempDir Path folder;
  private ProxyFixture fixture;
  private Lock lock;

  @BeforeEach
  void start() throws IOException {
    fixture = new ProxyFixture(folder, Way.THROUGH_A_HOP);
    lock = fixture.api.acquire(settledAtTheSecond());
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private Answer send(int gateway, String what) {
    return fixture.send(gateway, lock, "POST", what, "x", Map.of("Idempotency-Key", "k"));
  }

  /**
   * A resource whose writes the second gateway carries out, as both know. It joined the first one,
   * so nothing moves any more of what it has.
   */
  private String settledAtTheSecond() {
    return await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                IntStream.range(0, RESOURCES)
                    .mapToObj(it -> "ledger/r" + it)
                    .filter(it -> owner(SECOND, it).equals("self"))
                    .filter(it -> owner(FIRST, it).contains(":"))
                    .findFirst()
                    .orElse(""),
            found -> !found.isEmpty());
  }

  private String owner(int gateway, String resource) {
    Answer shown = fixture.gateways.operator(gateway).get("/admin/v1/resources/" + resource);
    return String.valueOf(shown.json().getString("owner"));
  }

  @Test
  void ofManyAtOnceOneIsSentAndAllLaterOnesGetItsAnswer() {
    ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    try {
      List<CompletableFuture<Answer>> all = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        int gateway = i % 2;
        all.add(CompletableFuture.supplyAsync(() -> send(gateway, "hold"), threads));
      }
      await()
          .atMost(Duration.ofSeconds(3))
          .untilAsserted(
              () ->
                  assertThat(
                          IntStream.range(0, CALLERS)
                              .filter(i -> !all.get(i).isDone())
                              .mapToObj(i -> i + " through " + i % 2))
                      .as("not answered yet")
                      .hasSize(1));
      await().until(() -> fixture.downstream.held() == 1);
      assertThat(fixture.downstream.heads()).hasSize(1);
      fixture.downstream.release();
      List<Answer> answers =
          all.stream().map(it -> it.orTimeout(20, TimeUnit.SECONDS).join()).toList();
      Answer first = answers.stream().filter(it -> it.status() == 200).findFirst().orElseThrow();
      assertThat(first.header("Idempotent-Replayed")).isEmpty();
      assertThat(answers.stream().filter(it -> it.status() != 200))
          .hasSize(CALLERS - 1)
          .allMatch(it -> it.status() == 409 && it.code().equals("in-flight"));
      for (int i = 0; i < REPEATS; i++) {
        Answer replay = send(i % 2, "hold");
        assertThat(replay.status()).as(replay.toString()).isEqualTo(200);
        assertThat(replay.body()).isEqualTo("released");
        assertThat(replay.header("Idempotent-Replayed")).isEqualTo("true");
      }
    } finally {
      threads.shutdown();
    }
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  @Test
  void whatOneGatewayHasRecordedTheOtherAnswersWhenItIsGone() {
    Answer first = send(SECOND, "created");
    assertThat(first.status()).as(first.toString()).isEqualTo(201);
    fixture.downstream.forget();
    fixture.gateways.stop(SECOND);
    Answer replay =
        await()
            .atMost(Duration.ofSeconds(30))
            .until(() -> send(FIRST, "created"), it -> it.status() != 503);
    assertThat(replay.header("Idempotent-Replayed")).as(replay.toString()).isEqualTo("true");
    assertThat(replay.body()).isEqualTo(first.body());
    assertThat(fixture.downstream.heads()).isEmpty();
  }
}

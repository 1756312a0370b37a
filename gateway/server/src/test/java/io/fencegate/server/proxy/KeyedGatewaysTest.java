/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import java.io.IOException;
import java.nio.file.Path;
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

  @TempDir Path folder;
  private ProxyFixture fixture;
  private Lock lock;

  @BeforeEach
  void start() throws IOException {
    fixture = new ProxyFixture(folder, 2);
    lock = fixture.api.acquire(ProxyFixture.fresh("ledger"));
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private Answer send(int gateway, String what) {
    return fixture.send(gateway, lock, "POST", what, "x", Map.of("Idempotency-Key", "k"));
  }

  /** The gateway that carries the resource's writes out, or passes them on to the one that does. */
  private int owner() {
    return await()
        .until(
            () ->
                IntStream.of(0, 1)
                    .filter(
                        it -> fixture.send(it, lock, "POST", "warm", "x", Map.of()).status() == 200)
                    .findFirst()
                    .orElse(-1),
            found -> found >= 0);
  }

  @Test
  void ofManyAtOnceOneIsSentAndAllLaterOnesGetItsAnswer() {
    int owner = owner();
    fixture.downstream.forget();
    ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    try {
      List<CompletableFuture<Answer>> all = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        int gateway = i % 2;
        all.add(CompletableFuture.supplyAsync(() -> send(gateway, "hold"), threads));
      }
      await().until(() -> all.stream().filter(CompletableFuture::isDone).count() == CALLERS - 1);
      assertThat(fixture.downstream.heads()).hasSize(1);
      fixture.downstream.release();
      List<Answer> answers =
          all.stream().map(it -> it.orTimeout(20, TimeUnit.SECONDS).join()).toList();
      Answer first = answers.stream().filter(it -> it.status() == 200).findFirst().orElseThrow();
      assertThat(first.header("Idempotent-Replayed")).isEmpty();
      assertThat(answers.stream().filter(it -> it.status() != 200))
          .allMatch(it -> it.code().equals("in-flight") || isElsewhere(it));
      assertThat(IntStream.range(0, CALLERS).filter(it -> it % 2 == owner).mapToObj(answers::get))
          .noneMatch(KeyedGatewaysTest::isElsewhere);
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

  /** Proof that nothing was sent. */
  private static boolean isElsewhere(Answer answer) {
    return answer.status() == 503
        && answer.code().equals("handover")
        && answer.json().getString("outcome").equals("rejected");
  }

  @Test
  void whatOneGatewayHasRecordedTheOtherAnswersWhenItIsGone() {
    int owner = owner();
    Answer first = send(owner, "created");
    assertThat(first.status()).as(first.toString()).isEqualTo(201);
    fixture.downstream.forget();
    fixture.gateways.stop(owner);
    Answer replay = send(1 - owner, "created");
    assertThat(replay.header("Idempotent-Replayed")).as(replay.toString()).isEqualTo("true");
    assertThat(replay.body()).isEqualTo(first.body());
    assertThat(fixture.downstream.heads()).isEmpty();
  }
}

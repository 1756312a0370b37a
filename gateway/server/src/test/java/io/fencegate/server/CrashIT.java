/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gateway's process ends in the middle of writes, with and without a chance to say goodbye. */
class CrashIT {

  private static final int WRITERS = 8;
  private static final int ANSWERS_BEFORE_THE_END = 400;

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        db: { type: postgres, url: "%s", pool: { size: 8 } }
      resources:
        - name: log
          match: log/{name}
          adapter: db
          idempotency: { required: true, retention: 1h, scope: caller }
          operations:
            append:
              sql: INSERT INTO entries(resource, value) VALUES (:name, :value) RETURNING value
              params: { value: text }
      """;

  @TempDir Path folder;
  private TestPostgres postgres;
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final Set<String> unanswered = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final AtomicInteger next = new AtomicInteger();

  @BeforeEach
  void start() throws Exception {
    postgres = TestPostgres.start();
    postgres.run("CREATE TABLE entries(resource text, value text)");
  }

  @AfterEach
  void stop() throws Exception {
    postgres.close();
  }

  private String policies() {
    return POLICIES.formatted(postgres.url());
  }

  private static JsonObject append(String value) {
    return new JsonObject()
        .put("operation", "append")
        .put("params", new JsonObject().put("value", value));
  }

  private Answer write(ApiClient client, Lock lock, String value) {
    return client.write(lock, append(value), Map.of("Idempotency-Key", value));
  }

  /** Writers that go on until the gateway is gone. */
  private List<Future<?>> writers(ExecutorService threads, GatewayProcess gateway, Lock lock) {
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      ApiClient client = gateway.worker();
      running.add(threads.submit(() -> writeOn(client, lock)));
    }
    return running;
  }

  private void writeOn(ApiClient client, Lock lock) {
    while (!stopped.get()) {
      String value = "v" + next.incrementAndGet();
      try {
        answers.put(value, write(client, lock, value));
      } catch (RuntimeException noAnswer) {
        unanswered.add(value);
        if (unanswered.size() > 50) {
          return;
        }
      }
    }
  }

  private void awaitAnswers() {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> answers.size() >= ANSWERS_BEFORE_THE_END);
  }

  private void join(ExecutorService threads, List<Future<?>> running) throws Exception {
    stopped.set(true);
    threads.shutdown();
    for (Future<?> writer : running) {
      writer.get(60, TimeUnit.SECONDS);
    }
  }

  private Set<String> applied() {
    Set<String> applied = new HashSet<>();
    answers.forEach(
        (value, answer) -> {
          if (answer.status() == 200) {
            applied.add(value);
          }
        });
    return applied;
  }

  private List<String> inDatabase() {
    return postgres.rows("SELECT value FROM entries");
  }

  @Test
  void afterKillMinusNineEverythingAnsweredIsStillThere() throws Exception {
    JsonObject acquire =
        new JsonObject().put("resource", "log/a").put("requestId", "r-1").put("holder", "h");
    Lock lock;
    try (GatewayProcess gateway = GatewayProcess.start(folder, policies())) {
      lock = ApiClient.lock(gateway.worker().post("/v1/locks/acquire", acquire));
      ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
      List<Future<?>> running = writers(threads, gateway, lock);
      awaitAnswers();
      gateway.kill();
      join(threads, running);
    }
    assertThat(inDatabase()).doesNotHaveDuplicates().containsAll(applied());
    try (GatewayProcess gateway = GatewayProcess.start(folder, policies())) {
      ApiClient worker = gateway.worker();
      assertThat(ApiClient.lock(worker.post("/v1/locks/acquire", acquire))).isEqualTo(lock);
      assertThat(worker.get("/v1/locks/log/a").json().getString("fencingToken"))
          .isEqualTo(lock.token());
      assertThat(gateway.operator().get("/admin/v1/resources/log/a").json().getString("epoch"))
          .isEqualTo(lock.token());
      for (String value : applied().stream().limit(20).toList()) {
        Answer again = write(worker, lock, value);
        assertThat(again.header("Idempotent-Replayed")).as(again.toString()).isEqualTo("true");
        assertThat(again.body()).isEqualTo(answers.get(value).body());
      }
      for (String value : unanswered) {
        assertThat(write(worker, lock, value).status()).isEqualTo(200);
      }
      assertThat(write(worker, lock, "after").status()).isEqualTo(200);
      assertThat(inDatabase())
          .doesNotHaveDuplicates()
          .contains("after")
          .containsAll(unanswered)
          .containsAll(applied());
    }
  }

  @Test
  void sigtermUnderLoadGivesEveryRequestInFlightItsTrueAnswer() throws Exception {
    try (GatewayProcess gateway = GatewayProcess.start(folder, policies())) {
      Lock lock = gateway.worker().acquire("log/a");
      ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
      List<Future<?>> running = writers(threads, gateway, lock);
      awaitAnswers();
      int exitCode = gateway.terminate();
      join(threads, running);
      assertThat(exitCode).isZero();
    }
    assertThat(inDatabase())
        .as("applied is exactly what was answered applied")
        .containsExactlyInAnyOrderElementsOf(applied());
    assertThat(answers.values())
        .allSatisfy(
            answer -> {
              assertThat(answer.status()).as(answer.toString()).isIn(200, 503);
              if (answer.status() == 503) {
                assertThat(answer.code()).isEqualTo("draining");
                assertThat(answer.header("Fencing-Decision"))
                    .isEqualTo("rejected;reason=\"draining\"");
              }
            });
    assertThat(Path.of(folder.toString(), "log.txt")).content().contains("stopped");
  }
}

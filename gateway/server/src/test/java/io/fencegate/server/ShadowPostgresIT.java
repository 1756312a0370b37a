/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shadow on a database whose guard judges every enforced write. */
class ShadowPostgresIT {

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        db: { type: postgres, url: "%s" }
      resources:
        - name: demo
          match: demo/{name}
          adapter: db
          enforcement: %s
          operations:
            append:
              sql: INSERT INTO entries(name, text) VALUES (:name, :text)
              params: { text: text }
            slowly:
              sql: >-
                WITH pause AS (SELECT pg_sleep(2))
                INSERT INTO entries(name, text) SELECT :name, :text FROM pause
              params: { text: text }
      """;

  private static final String R = "demo/one";

  @TempDir Path folder;
  private TestPostgres postgres;
  private TestGateways gateways;
  private ApiClient worker;

  @BeforeEach
  void start() throws IOException {
    postgres = TestPostgres.start();
    postgres.run(
        "CREATE TABLE entries(id bigint GENERATED ALWAYS AS IDENTITY, name text, text text)");
    gateways = TestGateways.start(folder, policies("shadow"), 1);
    worker = gateways.client(0);
  }

  @AfterEach
  void stop() throws IOException {
    gateways.close();
    postgres.close();
  }

  private String policies(String enforcement) {
    return POLICIES.formatted(postgres.url(), enforcement);
  }

  private void enforce() throws IOException {
    Files.writeString(gateways.policyFile(), policies("enforce"));
    Answer answer = gateways.operator(0).send("POST", "/admin/v1/policies/reload", "", Map.of());
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
  }

  private static JsonObject call(String operation, String text) {
    return new JsonObject()
        .put("operation", operation)
        .put("params", new JsonObject().put("text", text));
  }

  @Test
  void theGuardRefusesNothingAndRaisesNothing() {
    Lock old = worker.acquire(R);
    worker.release(old);
    Lock fresh = worker.acquire(R);
    assertThat(worker.write(fresh, call("append", "a"), Map.of()).status()).isEqualTo(200);
    Answer stale = worker.write(old, call("append", "b"), Map.of("Idempotency-Key", "k"));
    assertThat(stale.status()).as(stale.toString()).isEqualTo(200);
    assertThat(stale.header("Fencing-Shadow-Decision"))
        .isEqualTo("rejected;reason=\"stale-token\"");
    assertThat(postgres.rows("SELECT text FROM entries ORDER BY id")).containsExactly("a", "b");
    assertThat(postgres.rows("SELECT resource FROM fencegate.epochs")).isEmpty();
  }

  @Test
  void theFirstEnforcedWriteComesAfterEveryWriteThatWasLetThrough() throws Exception {
    Lock old = worker.acquire(R);
    CompletableFuture<Answer> late =
        CompletableFuture.supplyAsync(() -> worker.write(old, call("slowly", "late"), Map.of()));
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .until(
            () -> postgres.rows("SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'"),
            sleeping -> !sleeping.isEmpty());
    worker.release(old);
    Lock fresh = worker.acquire(R);
    enforce();
    Answer tooEarly = worker.write(fresh, call("append", "first"), Map.of());
    assertThat(tooEarly.status()).as(tooEarly.toString()).isEqualTo(503);
    assertThat(tooEarly.code()).isEqualTo("handover");
    assertThat(tooEarly.json().getBoolean("retryable")).isTrue();
    assertThat(late.join().status()).isEqualTo(200);
    assertThat(worker.write(fresh, call("append", "first"), Map.of()).status()).isEqualTo(200);
    assertThat(worker.write(old, call("append", "zombie"), Map.of()).code())
        .isEqualTo("stale-token");
    assertThat(postgres.rows("SELECT text FROM entries ORDER BY id"))
        .containsExactly("late", "first");
  }
}

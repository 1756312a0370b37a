/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The coordinator's whole directory was lost, with the witness in it: then the downstream, a real
 * PostgreSQL, is what knows better.
 */
class RestoreIT {

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        db: { type: postgres, url: "%s", pool: { size: 4 } }
      resources:
        - name: log
          match: log/{name}
          adapter: db
          operations:
            append:
              sql: INSERT INTO entries(resource, value) VALUES (:name, :value) RETURNING value
              params: { value: text }
      """;

  @TempDir Path folder;
  private TestPostgres postgres;

  @BeforeEach
  void start() throws IOException {
    postgres = TestPostgres.start();
    postgres.run("CREATE TABLE entries(resource text, value text)");
  }

  @AfterEach
  void stop() throws IOException {
    postgres.close();
  }

  private TestGateways gateways(String name) throws IOException {
    return TestGateways.start(folder.resolve(name), POLICIES.formatted(postgres.url()), 1);
  }

  private static Answer write(ApiClient worker, Lock lock, String value) {
    return worker.write(
        lock,
        new JsonObject()
            .put("operation", "append")
            .put("params", new JsonObject().put("value", value)),
        Map.of());
  }

  @Test
  void aTokenBelowWhatTheDatabaseAcceptedIsNamedAsSuchUntilTheGenerationIsRaised()
      throws IOException {
    Lock zombie;
    try (TestGateways before = gateways("before")) {
      ApiClient worker = before.client(0);
      for (int i = 0; i < 20; i++) {
        worker.release(worker.acquire("log/other"));
      }
      zombie = worker.acquire("log/a");
      assertThat(write(worker, zombie, "before").status()).isEqualTo(200);
    }
    try (TestGateways after = gateways("after")) {
      ApiClient worker = after.client(0);
      Lock low = worker.acquire("log/a");
      assertThat(Long.parseLong(low.token())).isLessThan(Long.parseLong(zombie.token()));
      for (int i = 0; i < 2; i++) {
        Answer refused = write(worker, low, "too low");
        assertThat(refused.code()).as(refused.toString()).isEqualTo("token-below-floor");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.header("Fencing-Decision")).contains("token-below-floor");
        assertThat(refused.header("Fencing-Epoch")).isEqualTo(zombie.token());
      }
      assertThat(worker.seal(low).code()).isEqualTo("token-below-floor");
      Answer asZombie = write(worker, zombie, "zombie");
      assertThat(asZombie.status()).as(asZombie.toString()).isIn(403, 412);
      assertThat(after.operator(0).get("/metrics").body())
          .contains("fencegate_coordinator_history_intact 0.0");
      assertThat(after.operator(0).get("/readyz").status()).isEqualTo(200);
      raise(after);
      assertThat(write(worker, low, "void").code()).isEqualTo("stale-token");
      after
          .operator(0)
          .post(
              "/admin/v1/locks/break",
              new JsonObject().put("resource", "log/a").put("reason", "of an older generation"));
      Lock high = worker.acquire("log/a");
      assertThat(Long.parseLong(high.token())).isGreaterThan(Long.parseLong(zombie.token()));
      Answer applied = write(worker, high, "after");
      assertThat(applied.status()).as(applied.toString()).isEqualTo(200);
      assertThat(after.operator(0).get("/metrics").body())
          .contains("fencegate_coordinator_history_intact 1.0");
      assertThat(write(worker, zombie, "zombie").code()).isEqualTo("stale-token");
    }
    assertThat(postgres.rows("SELECT value FROM entries")).containsExactly("before", "after");
  }

  private static void raise(TestGateways gateways) {
    Answer raised =
        gateways
            .operator(0)
            .post(
                "/admin/v1/cluster/generation",
                new JsonObject().put("raise", true).put("reason", "the directory was lost"));
    assertThat(raised.status()).as(raised.toString()).isEqualTo(200);
  }

  @Test
  void aBrokenHoldersWriteLandsNeitherHereNorThroughAnotherGateway() throws IOException {
    try (TestGateways all =
        TestGateways.start(folder.resolve("two"), POLICIES.formatted(postgres.url()), 2)) {
      Lock old = all.client(0).acquire("log/a");
      assertThat(write(all.client(0), old, "one").status()).isEqualTo(200);
      assertThat(write(all.client(1), old, "two").status()).isEqualTo(200);
      Answer broken =
          all.operator(1)
              .post(
                  "/admin/v1/locks/break",
                  new JsonObject()
                      .put("resource", "log/a")
                      .put("fencingToken", old.token())
                      .put("reason", "stuck"));
      assertThat(broken.status()).as(broken.toString()).isEqualTo(200);
      assertThat(write(all.client(0), old, "late").code()).isEqualTo("stale-token");
      assertThat(write(all.client(1), old, "late").code()).isEqualTo("stale-token");
      Lock next = all.client(0).acquire("log/a");
      assertThat(write(all.client(0), next, "next").status()).isEqualTo(200);
    }
    assertThat(postgres.rows("SELECT value FROM entries")).containsExactly("one", "two", "next");
  }
}

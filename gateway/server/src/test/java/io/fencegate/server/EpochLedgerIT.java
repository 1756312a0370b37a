/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencegate.lab.EtcdCluster;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real gateways on a real etcd, with their epochs also in a real PostgreSQL. The downstream forgets
 * with the gateway's process, so that only the ledger knows what was accepted.
 */
class EpochLedgerIT {

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        mem: { type: memory }
      resources:
        - name: jobs
          match: jobs/{name}
          adapter: mem
          operations:
            set: { sql: set, params: { value: text } }
      """;

  @TempDir Path folder;
  private EtcdCluster etcd;
  private TestPostgres postgres;

  @BeforeEach
  void start() throws IOException {
    etcd = EtcdCluster.start(1);
    postgres = TestPostgres.start();
  }

  @AfterEach
  void stop() throws IOException {
    postgres.close();
    etcd.close();
  }

  private String coordinator(String epochs) {
    return "{ type: etcd, dataDir: data, endpoints: [" + etcd.endpoints().get(0) + "] }\n" + epochs;
  }

  private String ledger() {
    return "epochs: { type: postgres, url: '" + postgres.url() + "' }";
  }

  private GatewayProcess gateway(String name, String epochs) throws IOException {
    return GatewayProcess.start(folder.resolve(name), POLICIES, coordinator(epochs));
  }

  private static Answer write(ApiClient worker, Lock lock, String value) {
    return worker.write(
        lock,
        new JsonObject()
            .put("operation", "set")
            .put("params", new JsonObject().put("value", value)),
        Map.of());
  }

  private static void ok(Answer answer) {
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
  }

  @Test
  void aRestoredEtcdBringsNoLowerTokenInUntilTheGenerationIsRaised() throws Exception {
    Path snapshot = folder.resolve("snapshot.db");
    Lock zombie;
    try (GatewayProcess before = gateway("before", ledger())) {
      etcd.saveSnapshot(snapshot);
      ApiClient worker = before.worker();
      for (int i = 0; i < 20; i++) {
        worker.release(worker.acquire("jobs/other"));
      }
      zombie = worker.acquire("jobs/a");
      ok(write(worker, zombie, "before"));
      before.kill();
    }
    etcd.restoreSnapshot(snapshot);
    // A new machine: no witness of its own.
    try (GatewayProcess after = gateway("after", ledger())) {
      ApiClient worker = after.worker();
      Lock low = worker.acquire("jobs/a");
      assertThat(Long.parseLong(low.token())).isLessThan(Long.parseLong(zombie.token()));
      for (int i = 0; i < 2; i++) {
        Answer refused = write(worker, low, "too low");
        assertThat(refused.code()).as(refused.toString()).isEqualTo("token-below-floor");
        assertThat(refused.header("Fencing-Epoch")).isEqualTo(zombie.token());
      }
      assertThat(write(worker, zombie, "zombie").status()).isIn(403, 412);
      ok(
          after
              .operator()
              .post(
                  "/admin/v1/cluster/generation",
                  new JsonObject().put("raise", true).put("reason", "restored")));
      assertThat(write(worker, low, "void").code()).isEqualTo("stale-token");
      ok(
          after
              .operator()
              .post(
                  "/admin/v1/locks/break",
                  new JsonObject().put("resource", "jobs/a").put("reason", "restored")));
      Lock high = worker.acquire("jobs/a");
      assertThat(Long.parseLong(high.token())).isGreaterThan(Long.parseLong(zombie.token()));
      ok(write(worker, high, "after"));
      assertThat(
              postgres.rows("SELECT epoch FROM fencegate_ledger.epochs WHERE resource = 'jobs/a'"))
          .containsExactly(high.token());
    }
  }

  @Test
  void withoutTheLedgerNothingOfANewTermIsSentAndLocksGoOn() throws Exception {
    try (GatewayProcess gateway = gateway("one", ledger())) {
      ApiClient worker = gateway.worker();
      Lock first = worker.acquire("jobs/a");
      ok(write(worker, first, "one"));
      worker.release(first);
      Lock next = worker.acquire("jobs/a");
      postgres.close();
      Answer refused = write(worker, next, "two");
      assertThat(refused.status()).as(refused.toString()).isEqualTo(503);
      assertThat(refused.code()).isEqualTo("epoch-store-unavailable");
      assertThat(refused.json().getString("outcome")).isEqualTo("rejected");
      assertThat(refused.json().getBoolean("retryable")).isTrue();
      assertThat(refused.header("Fencing-Decision")).contains("epoch-store-unavailable");
      assertThat(refused.header("Retry-After")).isNotNull();
      assertThat(worker.seal(next).code()).isEqualTo("epoch-store-unavailable");
      assertThat(gateway.operator().get("/readyz").body()).contains("the ledger of epochs at");
      worker.release(next);
      worker.acquire("jobs/b");
      assertThat(Files.readString(folder.resolve("one/log.txt")))
          .doesNotContain("postgres:postgres");
    }
  }

  @Test
  void aGatewayThatKeepsEpochsElsewhereDoesNotStartAndSaysWhy() throws Exception {
    try (GatewayProcess one = gateway("one", ledger())) {
      ok(write(one.worker(), one.worker().acquire("jobs/a"), "one"));
      assertThatThrownBy(() -> gateway("two", "epochs: { type: coordinator }").close())
          .hasMessageContaining("meta/epochs")
          .hasMessageContaining("epochs.replaces");
    }
  }
}

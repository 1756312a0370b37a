/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.server.ApiClient;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Running gateways whose etcd is restored from an older snapshot, or starts anew with nothing. */
class RestoredEtcdIT extends FaultFixture {

  private final List<EtcdGateway> gateways = new ArrayList<>();
  private Lock zombie;
  private CompletableFuture<Answer> waiting;

  /** The history of requests went with the old etcd. */
  @Override
  boolean remembersRequests() {
    return false;
  }

  private void start(int nodes) throws IOException {
    etcd(nodes);
    gateways.add(gateway(EtcdSettings.of(etcd.endpoints())));
    gateways.add(gateway(EtcdSettings.of(etcd.endpoints())));
  }

  private void work() {
    for (int i = 0; i < 30; i++) {
      worker(i % 2).release(worker(i % 2).lock("jobs/other", 5_000));
    }
    zombie = worker(0).lock("jobs/a", 30_000);
    assertThat(worker(0).write(zombie, "before").status()).isEqualTo(200);
    JsonObject request = Worker.request("jobs/a", 30_000, 50_000);
    waiting = inBackground(() -> worker(1).acquire(request));
    eventually(() -> worker(0).show("jobs/a").getInteger("waiters") == 1);
  }

  @Test
  void afterASnapshotIsRestoredNothingIsGrantedOrWrittenUntilTheGenerationIsRaised()
      throws IOException {
    restoreUnderWork(1);
  }

  @Test
  void afterASnapshotIsRestoredOnThreeNodesNothingIsGrantedOrWrittenUntilTheGenerationIsRaised()
      throws IOException {
    restoreUnderWork(3);
  }

  private void restoreUnderWork(int nodes) throws IOException {
    start(nodes);
    Path snapshot = folder.resolve("snapshot.db");
    etcd.saveSnapshot(snapshot);
    work();
    etcd.restoreSnapshot(snapshot);
    assertClosedUntilRaised();
  }

  @Test
  void afterAWipeNothingIsGrantedOrWrittenUntilTheGenerationIsRaised() throws IOException {
    start(1);
    work();
    etcd.wipe();
    assertClosedUntilRaised();
  }

  private void assertClosedUntilRaised() {
    history.endsBy(zombie.leaseId(), System.nanoTime());
    for (EtcdGateway gateway : gateways) {
      eventually(
          () ->
              gateway
                  .operator()
                  .get("/metrics")
                  .body()
                  .contains("fencegate_coordinator_history_intact 0.0"));
    }
    for (Worker worker : workers) {
      Answer refused = worker.tryAcquire("jobs/new", 5_000);
      assertThat(refused.code()).as(refused.toString()).isEqualTo("token-below-floor");
    }
    Answer waited = waiting.orTimeout(HEALED.toSeconds(), TimeUnit.SECONDS).join();
    assertThat(waited.code()).as("waits end with the history").isEqualTo("token-below-floor");
    Answer write = worker(0).write(zombie, "zombie");
    assertThat(write.status()).as(write.toString()).isIn(403, 412, 503);
    assertThat(write.json().getString("outcome")).isEqualTo("rejected");
    Answer raised =
        gateways
            .get(1)
            .operator()
            .post(
                "/admin/v1/cluster/generation",
                new JsonObject().put("raise", true).put("reason", "an older snapshot"));
    assertThat(raised.status()).as(raised.toString()).isEqualTo(200);
    JsonObject request = Worker.request("jobs/a", 30_000, 0);
    within(HEALED, () -> worker(0).acquire(request).status() == 200);
    Lock next = ApiClient.lock(worker(0).acquire(request));
    assertThat(Long.parseLong(next.token())).isGreaterThan(Long.parseLong(zombie.token()));
    assertThat(worker(0).write(next, "after").status()).isEqualTo(200);
    assertThat(worker(0).write(zombie, "zombie").code()).isEqualTo("stale-token");
  }
}

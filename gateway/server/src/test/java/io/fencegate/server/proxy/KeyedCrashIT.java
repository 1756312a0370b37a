/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencegate.server.ApiClient;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.fencegate.server.GatewayProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gateway's process ends between sending a keyed write and recording its answer. */
class KeyedCrashIT {

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        api: { type: http, url: "http://127.0.0.1:%d", timeout: 3s }
      resources:
        - name: ledger
          match: ledger/{tenant}
          adapter: api
          guarantee: serialized
          http: { route: "/ledger/{tenant}/**" }
          lease: { ttl: 2m }
          idempotency: { required: true, retention: 24h, scope: caller }
      """;

  @TempDir Path folder;

  /** Waits until the gateway carries the resource's writes out. */
  private static Answer send(ApiClient worker, Lock lock, String what, String key) {
    return await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> sendOnce(worker, lock, what, key), answer -> !isHandover(answer));
  }

  private static boolean isHandover(Answer answer) {
    return answer.status() == 503 && answer.code().equals("handover");
  }

  private static Answer sendOnce(ApiClient worker, Lock lock, String what, String key) {
    return worker.send(
        "POST",
        "/" + lock.resource() + "/" + what,
        "x",
        Map.of(
            "Fencing-Token",
            lock.token(),
            "Fencing-Lease",
            lock.leaseId(),
            "Idempotency-Key",
            key));
  }

  @Test
  void whatWasOnItsWayWhenTheGatewayWasKilledIsUnknownAndNeverSentAgain() throws Exception {
    try (HttpDownstream downstream = new HttpDownstream()) {
      String policies = POLICIES.formatted(downstream.port());
      Lock lock;
      Answer recorded;
      try (GatewayProcess gateway = GatewayProcess.start(folder, policies)) {
        ApiClient worker = gateway.worker();
        lock = ApiClient.lock(worker.tryAcquire("ledger/acme", 120_000));
        recorded = send(worker, lock, "created", "recorded");
        assertThat(recorded.status()).as(recorded.toString()).isEqualTo(201);
        CompletableFuture<Void> sent =
            CompletableFuture.runAsync(() -> send(worker, lock, "hold", "sent"))
                .exceptionally(hungUp -> null);
        await().until(() -> downstream.held() == 1);
        gateway.kill();
        sent.join();
      }
      downstream.release();
      try (GatewayProcess gateway = GatewayProcess.start(folder, policies)) {
        ApiClient worker = gateway.worker();
        Answer replay = send(worker, lock, "created", "recorded");
        assertThat(replay.header("Idempotent-Replayed")).as(replay.toString()).isEqualTo("true");
        assertThat(replay.body()).isEqualTo(recorded.body());
        // In flight until the session of the process that was killed has run out.
        await()
            .atMost(Duration.ofSeconds(40))
            .until(() -> send(worker, lock, "hold", "sent").status() != 409);
        for (int i = 0; i < 3; i++) {
          Answer again = send(worker, lock, "hold", "sent");
          assertThat(again.status()).as(again.toString()).isEqualTo(504);
          assertThat(again.code()).isEqualTo("outcome-unknown");
        }
        assertThat(worker.get("/v1/writes/ledger/acme?key=sent").json().getString("outcome"))
            .isEqualTo("unknown");
        assertThat(downstream.heads())
            .isEqualTo(List.of("POST /ledger/acme/created", "POST /ledger/acme/hold"));
      }
    }
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.tck.FaultProxy;
import io.fencegate.lab.EtcdCluster;
import io.fencegate.lab.EtcdOptions;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A gateway is frozen between its last check and the arrival of its write, for longer than the
 * lease, while another gateway carries out the next holder's. PostgreSQL itself refuses the stale
 * one, however long the freeze was.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class FrozenGatewayIT {

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        db: { type: postgres, url: "%s", destination: ledger, pool: { size: 4 } }
      resources:
        - name: notes
          match: notes/{name}
          adapter: db
          guarantee: strict
          operations:
            add:
              sql: INSERT INTO notes(name, token, what) VALUES (:name, :token, :what)
              params: { token: int8, what: text }
      """;

  @TempDir Path folder;

  private static Answer write(GatewayProcess gateway, Lock lock, String what) {
    return gateway
        .worker()
        .write(
            lock,
            new JsonObject()
                .put("operation", "add")
                .put(
                    "params",
                    new JsonObject().put("token", Long.parseLong(lock.token())).put("what", what)),
            Map.of());
  }

  private GatewayProcess gateway(String name, String url, EtcdCluster etcd) throws Exception {
    Path own = folder.resolve(name);
    Files.createDirectories(own);
    return GatewayProcess.start(
        own,
        POLICIES.formatted(url),
        "{ type: etcd, endpoints: [\"%s\"] }".formatted(etcd.node(0).endpoint()));
  }

  @Test
  void aWriteOfAFrozenGatewayThatArrivesBehindTheNextHoldersIsRefusedByTheDatabase()
      throws Exception {
    Vertx vertx = Vertx.vertx();
    try (EtcdCluster etcd = EtcdCluster.start(EtcdOptions.ofNodes(1));
        TestPostgres postgres = TestPostgres.start()) {
      postgres.run("CREATE TABLE notes(id bigserial, name text, token bigint, what text)");
      int port = URI.create(postgres.url().replace("postgresql:", "http:")).getPort();
      FaultProxy wire =
          FaultProxy.start(vertx, "127.0.0.1", port)
              .toCompletionStage()
              .toCompletableFuture()
              .orTimeout(10, TimeUnit.SECONDS)
              .join();
      String wired = postgres.url().replace(":" + port + "/", ":" + wire.port() + "/");
      try (GatewayProcess frozen = gateway("frozen", wired, etcd);
          GatewayProcess other = gateway("other", postgres.url(), etcd)) {
        Lock old = ApiClient.lock(other.worker().tryAcquire("notes/a", 5_000));
        assertThat(write(frozen, old, "first").status()).isEqualTo(200);
        wire.holdOnceSent("zombie");
        CompletableFuture<Optional<Answer>> zombie =
            CompletableFuture.supplyAsync(() -> attempt(frozen, old));
        eventually(wire::hasStruck);
        frozen.pause();
        List<Lock> newer = new ArrayList<>();
        eventually(() -> acquired(other, newer));
        assertThat(write(other, newer.get(0), "newer").status()).isEqualTo(200);
        wire.pass();
        frozen.resume();
        Optional<Answer> answer = zombie.orTimeout(60, TimeUnit.SECONDS).join();
        assertThat(answer.map(Answer::status)).isNotEqualTo(Optional.of(200));
        eventually(() -> "stale-token".equals(write(frozen, old, "late").code()));
        assertThat(postgres.rows("SELECT what FROM notes ORDER BY id"))
            .containsExactly("first", "newer");
      }
    } finally {
      vertx
          .close()
          .toCompletionStage()
          .toCompletableFuture()
          .orTimeout(20, TimeUnit.SECONDS)
          .join();
    }
  }

  private static boolean acquired(GatewayProcess gateway, List<Lock> into) {
    Answer answer = gateway.worker().tryAcquire("notes/a", 30_000);
    if (answer.status() == 200) {
      into.add(ApiClient.lock(answer));
    }
    return !into.isEmpty();
  }

  private static Optional<Answer> attempt(GatewayProcess gateway, Lock lock) {
    try {
      return Optional.of(write(gateway, lock, "zombie"));
    } catch (RuntimeException cut) {
      return Optional.empty();
    }
  }

  private static void eventually(java.util.concurrent.Callable<Boolean> condition) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(100))
        .until(condition);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.lab.EtcdCluster;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two gateways, from the jar that operators run, on one etcd. */
class SharedEtcdIT {

  private static final int LOCKS = 20;

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
  private EtcdCluster etcd;
  private TestPostgres postgres;
  private GatewayProcess one;
  private GatewayProcess two;

  @BeforeEach
  void start() throws Exception {
    etcd = EtcdCluster.start(1);
    postgres = TestPostgres.start();
    postgres.run("CREATE TABLE entries(resource text, value text)");
    one = gateway("one");
    two = gateway("two");
  }

  private GatewayProcess gateway(String name) throws Exception {
    String coordinator =
        "{ type: etcd, endpoints: [\"" + etcd.node(0).endpoint() + "\"], prefix: shared }";
    Path own = folder.resolve(name);
    java.nio.file.Files.createDirectories(own);
    return GatewayProcess.start(own, POLICIES.formatted(postgres.url()), coordinator);
  }

  @AfterEach
  void stop() throws Exception {
    one.close();
    two.close();
    postgres.close();
    etcd.close();
  }

  @Test
  void locksAndWritesAreTheSameOnBothAndOutliveAGatewayThatIsKilled() throws Exception {
    List<Lock> held =
        IntStream.range(0, LOCKS).mapToObj(i -> one.worker().acquire("log/" + i)).toList();
    for (Lock lock : held) {
      assertThat(append(one, lock).status()).isEqualTo(200);
      assertThat(append(two, lock).status()).isEqualTo(200);
      assertThat(two.worker().tryAcquire(lock.resource(), 30_000).code()).isEqualTo("lock-held");
    }
    one.kill();
    for (Lock lock : held) {
      Answer renewed = renew(two, lock);
      assertThat(renewed.status()).as(renewed.body()).isEqualTo(200);
      assertThat(renewed.json().getString("fencingToken")).isEqualTo(lock.token());
      assertThat(append(two, lock).status()).isEqualTo(200);
    }
    Lock old = held.get(0);
    assertThat(two.worker().release(old).status()).isEqualTo(200);
    Lock next = two.worker().acquire(old.resource());
    assertThat(Long.parseLong(next.token())).isGreaterThan(Long.parseLong(old.token()));
    assertThat(append(two, next).status()).isEqualTo(200);
    assertThat(append(two, old).code()).isEqualTo("stale-token");
    assertThat(etcd.etcdctl("get", "--prefix", "--keys-only", "shared/lock/").lines())
        .filteredOn(line -> !line.isBlank())
        .hasSize(LOCKS);
  }

  @Test
  void anEtcdThatRestartsIsWaitedFor() {
    Lock lock = one.worker().acquire("log/a");
    etcd.node(0).kill();
    etcd.startAll();
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(append(one, lock).status()).isEqualTo(200));
    assertThat(renew(two, lock).status()).isEqualTo(200);
  }

  private static Answer renew(GatewayProcess gateway, Lock lock) {
    return gateway
        .worker()
        .post(
            "/v1/locks/renew",
            new JsonObject().put("resource", lock.resource()).put("leaseId", lock.leaseId()));
  }

  private static Answer append(GatewayProcess gateway, Lock lock) {
    JsonObject body =
        new JsonObject()
            .put("operation", "append")
            .put("params", new JsonObject().put("value", "x"));
    return gateway.worker().write(lock, body, Map.of());
  }
}

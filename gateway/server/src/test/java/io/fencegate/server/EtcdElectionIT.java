/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencegate.lab.EtcdCluster;
import io.fencegate.server.ApiClient.Answer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writers that elect their leader with etcd's own tools and never heard of Fencegate's locks. */
class EtcdElectionIT {

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        scratch: { type: memory }
      resources:
        - name: demo
          match: demo/{name}
          adapter: scratch
          token: { source: etcd-election, prefix: "/elections/{name}/" }
          operations:
            append: { sql: append, params: { text: text } }
      """;

  private static final JsonObject APPEND =
      new JsonObject()
          .put("operation", "append")
          .put("params", new JsonObject().put("text", "hello"));

  @TempDir Path folder;
  private EtcdCluster etcd;
  private GatewayProcess gateway;
  private final List<Process> clients = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    etcd = EtcdCluster.start(1);
    gateway =
        GatewayProcess.start(
            folder,
            POLICIES,
            "{ type: etcd, endpoints: [\"" + etcd.node(0).endpoint() + "\"], prefix: gateways }");
  }

  @AfterEach
  void stop() throws Exception {
    for (Process client : clients) {
      end(client);
    }
    gateway.close();
    etcd.close();
  }

  /** An etcdctl that stands as a candidate until it is ended. */
  private Process etcdctl(String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(List.of("etcdctl", "--endpoints=" + etcd.node(0).endpoint()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("ETCDCTL_API", "3");
    builder.redirectErrorStream(true);
    builder.redirectOutput(folder.resolve("etcdctl-" + clients.size() + ".log").toFile());
    Process client = builder.start();
    clients.add(client);
    return client;
  }

  private static void end(Process client) throws InterruptedException {
    client.destroy();
    assertThat(client.waitFor(20, TimeUnit.SECONDS)).isTrue();
  }

  /** The create revisions of the candidates, in their order, once there are so many. */
  private List<Long> candidates(String election, int count) {
    return Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> candidates(election), found -> found.size() == count);
  }

  private List<Long> candidates(String election) {
    JsonObject found =
        new JsonObject(
            etcd.etcdctl("get", "--prefix", "/elections/" + election + "/", "-w", "json"));
    return found.getJsonArray("kvs", new JsonArray()).stream()
        .map(kv -> ((JsonObject) kv).getLong("create_revision"))
        .sorted()
        .toList();
  }

  private Answer write(String name, long token) {
    return gateway
        .worker()
        .send(
            "POST",
            "/v1/write/demo/" + name,
            APPEND.encode(),
            Map.of("Fencing-Token", Long.toString(token)));
  }

  @Test
  void theLeaderOfEtcdctlElectWritesAndItsSuccessorShutsItOut() throws Exception {
    Process leader = etcdctl("elect", "/elections/one", "a");
    long first = candidates("one", 1).get(0);
    etcdctl("elect", "/elections/one", "b");
    long second = candidates("one", 2).get(1);
    assertThat(write("one", second).code())
        .as("it does not lead yet")
        .isEqualTo("token-not-issued");
    Answer leads = write("one", first);
    assertThat(leads.status()).as(leads.toString()).isEqualTo(200);
    assertThat(leads.header("Fencing-Epoch")).isEqualTo(Long.toString(first));
    assertThat(leads.header("Fencing-Guarantee")).isEqualTo("strict");
    assertThat(write("two", first).code()).as("another election").isEqualTo("lease-expired");
    end(leader);
    assertThat(candidates("one", 1)).containsExactly(second);
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> write("one", second).status(), status -> status == 200);
    assertThat(write("one", first).code()).isEqualTo("stale-token");
    JsonObject shown = gateway.operator().get("/admin/v1/resources/demo/one").json();
    assertThat(shown.getString("tokenSource")).isEqualTo("etcd-election");
    assertThat(shown.getString("epoch")).isEqualTo(Long.toString(second));
  }

  @Test
  void theHolderOfEtcdctlLockWritesAsLongAsItHoldsTheLock() throws Exception {
    Process holder = etcdctl("lock", "--ttl", "10", "/elections/one");
    long token = candidates("one", 1).get(0);
    assertThat(write("one", token).status()).isEqualTo(200);
    assertThat(write("one", token + 1_000_000).code()).isEqualTo("token-not-issued");
    end(holder);
    candidates("one", 0);
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> write("one", token).code(), "lease-expired"::equals);
  }

  @Test
  void aGatewayWithAnEmbeddedCoordinatorDoesNotStartWithSuchAPolicy() {
    assertThatThrownBy(() -> TestGateways.start(folder.resolve("embedded"), POLICIES, 1))
        .hasStackTraceContaining("/resources/0/token/source")
        .hasStackTraceContaining("the coordinator is embedded");
  }
}

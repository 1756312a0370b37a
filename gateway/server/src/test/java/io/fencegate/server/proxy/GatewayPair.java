/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.lab.EtcdCluster;
import io.fencegate.lab.EtcdOptions;
import io.fencegate.server.ApiClient;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.fencegate.server.GatewayProcess;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;

/** Two real gateway processes on a real etcd before one HTTP service. */
final class GatewayPair implements AutoCloseable {

  private static final int ANY_RESOURCE = 1_000;
  private static final int SLOTS = 64;

  final HttpDownstream downstream = new HttpDownstream();
  final EtcdCluster etcd = EtcdCluster.start(EtcdOptions.ofNodes(1));
  private final Path folder;
  private final String policies;
  private final GatewayProcess[] gateways = new GatewayProcess[2];
  private final Map<String, Integer> taken = new HashMap<>();

  /** Both serve; {@code @api@} in the policies is the service's port. */
  GatewayPair(Path folder, String policies) throws IOException {
    this.folder = folder;
    this.policies = policies.replace("@api@", Integer.toString(downstream.port()));
    start(0);
    start(1);
    eventually(() -> owners() == 2);
  }

  private void start(int index) throws IOException {
    Path own = folder.resolve("gateway-" + index);
    Files.createDirectories(own);
    gateways[index] =
        GatewayProcess.start(
            own,
            policies,
            "{ type: etcd, endpoints: [\"%s\"] }".formatted(etcd.node(0).endpoint()));
  }

  GatewayProcess gateway(int index) {
    return gateways[index];
  }

  static void eventually(Callable<Boolean> condition) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(50))
        .until(condition);
  }

  /** How many gateways serve slots, where every slot is served. */
  private long owners() {
    JsonObject cluster = gateways[0].operator().get("/admin/v1/cluster").json();
    List<String> owners = new ArrayList<>();
    for (Object slot : cluster.getJsonArray("slots")) {
      JsonObject it = (JsonObject) slot;
      owners.add(it.getBoolean("serving") ? it.getString("owner") : "nobody");
    }
    return owners.size() < SLOTS || owners.contains("nobody")
        ? 0
        : owners.stream().distinct().count();
  }

  /** A resource that was not asked for before, whose writes that gateway carries out. */
  String ownedBy(int gateway, String policy) {
    for (int i = taken.getOrDefault(policy, 0); i < ANY_RESOURCE; i++) {
      String resource = policy + "/t" + i;
      JsonObject shown = gateways[gateway].operator().get("/admin/v1/resources/" + resource).json();
      if ("self".equals(shown.getString("owner"))) {
        taken.put(policy, i + 1);
        return resource;
      }
    }
    throw new AssertionError("gateway " + gateway + " owns nothing");
  }

  Lock lock(int gateway, String resource, long ttlMillis) {
    Answer answer = gateways[gateway].worker().tryAcquire(resource, ttlMillis);
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    return ApiClient.lock(answer);
  }

  Answer send(int gateway, Lock lock, String what, Map<String, String> more) {
    Map<String, String> headers = new HashMap<>(more);
    headers.put("Fencing-Token", lock.token());
    headers.put("Fencing-Lease", lock.leaseId());
    return gateways[gateway]
        .worker()
        .send("POST", "/" + lock.resource() + "/" + what, "x", headers);
  }

  @Override
  public void close() {
    downstream.release();
    for (GatewayProcess gateway : gateways) {
      gateway.close();
    }
    downstream.close();
    etcd.close();
  }
}

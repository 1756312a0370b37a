/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.lab.EtcdCluster;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In shadow a coordinator that is away keeps no write from being sent. */
class ShadowEtcdIT {

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        scratch: { type: memory }
      resources:
        - name: demo
          match: demo/{name}
          adapter: scratch
          enforcement: shadow
          operations:
            append: { sql: append, params: { text: text } }
      """;

  private static final JsonObject APPEND =
      new JsonObject()
          .put("operation", "append")
          .put("params", new JsonObject().put("text", "hello"));

  @TempDir Path folder;

  @Test
  void writesAreSentOnWithoutTheCoordinatorAndCountedAsRefused() throws Exception {
    try (EtcdCluster etcd = EtcdCluster.start(1);
        GatewayProcess gateway =
            GatewayProcess.start(
                folder,
                POLICIES,
                "{ type: etcd, endpoints: [\"" + etcd.node(0).endpoint() + "\"] }")) {
      Lock lock = gateway.worker().acquire("demo/one");
      assertThat(verdict(gateway, lock)).isEqualTo("accepted");
      etcd.killAll();
      Awaitility.await()
          .atMost(Duration.ofSeconds(40))
          .until(
              () -> verdict(gateway, lock), "rejected;reason=\"coordinator-unavailable\""::equals);
    }
  }

  private static String verdict(GatewayProcess gateway, Lock lock) {
    long before = System.nanoTime();
    Answer answer = gateway.worker().write(lock, APPEND, Map.of());
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(8));
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    return answer.header("Fencing-Shadow-Decision");
  }
}

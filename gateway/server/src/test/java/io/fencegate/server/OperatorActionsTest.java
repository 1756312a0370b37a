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
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Break, raise and cluster as operators see them. */
class OperatorActionsTest {

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        scratch: { type: memory }
      resources:
        - name: demo
          match: demo/{name}
          adapter: scratch
          operations:
            append: { sql: "append", params: { text: text } }
      """;

  private static final JsonObject APPEND =
      new JsonObject()
          .put("operation", "append")
          .put("params", new JsonObject().put("text", "hello"));

  @TempDir Path folder;
  private TestGateways gateways;
  private ApiClient worker;
  private ApiClient operator;

  @BeforeEach
  void start() throws IOException {
    gateways = TestGateways.start(folder, POLICIES, 1);
    worker = gateways.client(0);
    operator = gateways.operator(0);
  }

  @AfterEach
  void stop() {
    gateways.close();
  }

  private Answer breakLock(JsonObject request) {
    return operator.post("/admin/v1/locks/break", request.put("reason", "stuck"));
  }

  private static JsonObject of(String resource) {
    return new JsonObject().put("resource", resource);
  }

  private List<JsonObject> audit(String event) {
    return Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> lines(event), lines -> !lines.isEmpty());
  }

  private List<JsonObject> lines(String event) throws IOException {
    return Files.readAllLines(gateways.auditFile(0)).stream()
        .map(JsonObject::new)
        .filter(line -> line.getString("event").equals(event))
        .toList();
  }

  @Test
  void aBrokenHolderIsShutOutAtOnceAndTheNextOneIsNot() {
    Lock old = worker.acquire("demo/one");
    assertThat(worker.write(old, APPEND, Map.of()).status()).isEqualTo(200);
    Answer broken = breakLock(of("demo/one"));
    assertThat(broken.status()).as(broken.toString()).isEqualTo(200);
    assertThat(broken.json().getBoolean("broken")).isTrue();
    assertThat(broken.json().getString("fencingToken")).isEqualTo(old.token());
    String epoch = Long.toString(Long.parseLong(old.token()) + 1);
    assertThat(broken.json().getString("epoch")).isEqualTo(epoch);
    Answer stale = worker.write(old, APPEND, Map.of());
    assertThat(stale.code()).isEqualTo("stale-token");
    assertThat(stale.header("Fencing-Epoch")).isEqualTo(epoch);
    Lock next = worker.acquire("demo/one");
    assertThat(worker.write(next, APPEND, Map.of()).status()).isEqualTo(200);
    JsonObject line = audit("break").get(0);
    assertThat(line.getString("resource")).isEqualTo("demo/one");
    assertThat(line.getString("reason")).isEqualTo("stuck");
    assertThat(line.getString("fencingToken")).isEqualTo(old.token());
    assertThat(line.getString("code")).isEqualTo("ok");
  }

  @Test
  void aRepeatedBreakOfOneHolderLeavesTheNextOneAlone() {
    Lock old = worker.acquire("demo/one");
    JsonObject request = of("demo/one").put("fencingToken", old.token());
    assertThat(breakLock(request.copy()).json().getBoolean("broken")).isTrue();
    Lock next = worker.acquire("demo/one");
    Answer again = breakLock(request.copy());
    assertThat(again.json().getBoolean("broken")).as(again.toString()).isTrue();
    assertThat(worker.write(next, APPEND, Map.of()).status()).isEqualTo(200);
  }

  @Test
  void aLockThatNobodyHoldsIsSaidToBeNotHeld() {
    Answer answer = breakLock(of("demo/free"));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json())
        .isEqualTo(of("demo/free").put("broken", false).putNull("epoch").put("reason", "not-held"));
  }

  @Test
  void breakingNeedsAReasonAndAPolicy() {
    Answer noReason = operator.post("/admin/v1/locks/break", of("demo/one"));
    assertThat(noReason.status()).isEqualTo(400);
    assertThat(noReason.json().getString("field")).isEqualTo("reason");
    assertThat(breakLock(of("other/one")).code()).isEqualTo("unknown-resource");
    assertThat(breakLock(of("demo/one").put("fencingToken", "007")).code())
        .isEqualTo("invalid-token");
  }

  @Test
  void raisingTheGenerationVoidsWhatWasIssuedAndIsAudited() {
    Lock old = worker.acquire("demo/one");
    assertThat(worker.write(old, APPEND, Map.of()).status()).isEqualTo(200);
    Answer raised =
        operator.post(
            "/admin/v1/cluster/generation",
            new JsonObject().put("raise", true).put("reason", "restored"));
    assertThat(raised.status()).as(raised.toString()).isEqualTo(200);
    assertThat(raised.json())
        .isEqualTo(new JsonObject().put("raised", true).put("before", 0).put("generation", 1));
    assertThat(worker.write(old, APPEND, Map.of()).code()).isEqualTo("stale-token");
    Lock fresh = worker.acquire("demo/two");
    assertThat(Long.parseLong(fresh.token())).isGreaterThan(1L << 44);
    assertThat(worker.write(fresh, APPEND, Map.of()).status()).isEqualTo(200);
    JsonObject line = audit("generation-raised").get(0);
    assertThat(line.getString("reason")).isEqualTo("restored");
    assertThat(line.getInteger("generation")).isEqualTo(1);
  }

  @Test
  void resourcesAreListedPageByPageWithWhatIsPromisedAboutThem() {
    Lock written = worker.acquire("demo/b");
    assertThat(worker.write(written, APPEND, Map.of()).status()).isEqualTo(200);
    worker.release(written);
    Lock held = worker.acquire("demo/a");
    worker.acquire("demo/c");
    worker.acquire("demo/c-too");
    JsonObject first = operator.get("/admin/v1/resources?prefix=demo/&limit=2").json();
    assertThat(first.getString("next")).isEqualTo("demo/b");
    assertThat(first.getJsonArray("resources").getJsonObject(0))
        .isEqualTo(
            new JsonObject()
                .put("resource", "demo/a")
                .put("policy", "demo")
                .put("enforcement", "enforce")
                .put("guarantee", "strict")
                .putNull("epochSource")
                .putNull("epoch")
                .put("held", true)
                .put("fencingToken", held.token()));
    JsonObject second = first.getJsonArray("resources").getJsonObject(1);
    assertThat(second.getString("epoch")).isEqualTo(written.token());
    assertThat(second.getBoolean("held")).isFalse();
    JsonObject rest = operator.get("/admin/v1/resources?prefix=demo/&limit=2&cursor=demo/b").json();
    assertThat(rest.getJsonArray("resources"))
        .extracting(it -> ((JsonObject) it).getString("resource"))
        .containsExactly("demo/c", "demo/c-too");
    assertThat(rest.getValue("next")).isNull();
    assertThat(operator.get("/admin/v1/resources?prefix=demo/c-").json().getJsonArray("resources"))
        .hasSize(1);
    for (String unusable : List.of("limit=0", "limit=1000", "cursor=/", "prefix=%20")) {
      Answer answer = operator.get("/admin/v1/resources?" + unusable);
      assertThat(answer.status()).as(unusable + " " + answer).isEqualTo(400);
    }
  }

  @Test
  void raisingHasToBeMeant() {
    for (JsonObject request :
        List.of(
            new JsonObject().put("reason", "x"),
            new JsonObject().put("raise", false).put("reason", "x"),
            new JsonObject().put("raise", "true").put("reason", "x"))) {
      Answer answer = operator.post("/admin/v1/cluster/generation", request);
      assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
      assertThat(answer.json().getString("field")).isEqualTo("raise");
    }
    assertThat(operator.get("/admin/v1/cluster").json().getInteger("generation")).isZero();
  }

  @Test
  void theClusterShowsItsGatewaysAndHowTheCoordinatorIs() {
    worker.acquire("demo/one");
    Answer answer = operator.get("/admin/v1/cluster");
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    JsonObject json = answer.json();
    assertThat(json.getJsonArray("gateways")).hasSize(1);
    JsonObject self = json.getJsonArray("gateways").getJsonObject(0);
    assertThat(self.getBoolean("self")).isTrue();
    assertThat(self.getString("session")).hasSize(8);
    assertThat(json.getJsonObject("session").getBoolean("fresh")).isTrue();
    assertThat(json.getJsonObject("history").getBoolean("intact")).isTrue();
    assertThat(json.getJsonObject("history").getLong("revision")).isPositive();
    JsonObject coordinator = json.getJsonObject("coordinator");
    assertThat(coordinator.getString("clusterId")).matches("[0-9a-f]+");
    assertThat(coordinator.getBoolean("quorum")).isTrue();
    assertThat(coordinator.getJsonArray("endpoints")).hasSize(1);
    assertThat(coordinator.getJsonObject("space").getString("level")).isEqualTo("enough");
  }

  @Test
  void theCoordinatorsStateStandsInReadinessAndMetrics() {
    worker.acquire("demo/one");
    assertThat(operator.get("/admin/v1/cluster").status()).isEqualTo(200);
    assertThat(operator.get("/readyz").body())
        .contains("coordinator history", "coordinator space", "coordinator endpoints");
    assertThat(operator.get("/metrics").body())
        .contains(
            "fencegate_coordinator_history_intact 1.0",
            "fencegate_coordinator_space_used_ratio",
            "fencegate_coordinator_space_exhausted 0.0",
            "fencegate_coordinator_quorum 1.0",
            "fencegate_coordinator_endpoints_reachable 1.0");
  }
}

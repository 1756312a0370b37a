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

/** {@code enforcement: shadow}: what would be refused is told, and everything is sent on. */
class ShadowTest {

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        scratch: { type: memory }
      resources:
        - name: demo
          match: demo/{name}
          adapter: scratch
          enforcement: %s
          operations:
            append: { sql: "append", params: { text: text } }
      """;

  private static final JsonObject APPEND =
      new JsonObject()
          .put("operation", "append")
          .put("params", new JsonObject().put("text", "hello"));

  private static final String R = "demo/one";

  @TempDir Path folder;
  private TestGateways gateways;
  private ApiClient worker;
  private ApiClient operator;

  @BeforeEach
  void start() throws IOException {
    gateways = TestGateways.start(folder, POLICIES.formatted("shadow"), 1);
    worker = gateways.client(0);
    operator = gateways.operator(0);
  }

  @AfterEach
  void stop() {
    gateways.close();
  }

  private void reload(String enforcement) throws IOException {
    Files.writeString(gateways.policyFile(), POLICIES.formatted(enforcement));
    Answer answer = operator.send("POST", "/admin/v1/policies/reload", "", Map.of());
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
  }

  private Answer bare(Map<String, String> headers) {
    return worker.send("POST", "/v1/write/" + R, APPEND.encode(), headers);
  }

  private JsonObject shown() {
    return operator.get("/admin/v1/resources/" + R).json();
  }

  private static void assertSentOn(Answer answer, String verdict) {
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    assertThat(answer.header("Fencing-Decision")).isEqualTo("accepted");
    assertThat(answer.header("Fencing-Guarantee")).isEqualTo("best-effort");
    assertThat(answer.header("Fencing-Shadow-Decision")).isEqualTo(verdict);
    assertThat(answer.header("Fencing-Epoch")).isEmpty();
    assertThat(answer.json().getValue("epoch")).isNull();
  }

  private static String refused(String code) {
    return "rejected;reason=\"" + code + "\"";
  }

  @Test
  void theHoldersWriteWouldBeAcceptedAndRaisesNothing() {
    Lock lock = worker.acquire(R);
    assertSentOn(worker.write(lock, APPEND, Map.of()), "accepted");
    assertThat(shown().getValue("epoch")).isNull();
    assertThat(shown().getInteger("inFlight")).isZero();
  }

  @Test
  void whatWouldBeRefusedIsSentOnWithTheReason() {
    Lock old = worker.acquire(R);
    assertSentOn(worker.write(old, APPEND, Map.of()), "accepted");
    worker.release(old);
    Awaitility.await()
        .atMost(Duration.ofSeconds(5))
        .until(
            () -> worker.write(old, APPEND, Map.of()).header("Fencing-Shadow-Decision"),
            refused("lease-expired")::equals);
    Lock fresh = worker.acquire(R);
    assertSentOn(worker.write(fresh, APPEND, Map.of()), "accepted");
    assertSentOn(worker.write(old, APPEND, Map.of()), refused("stale-token"));
    Lock forged = new Lock(R, fresh.leaseId(), "9223372036854775807");
    assertSentOn(worker.write(forged, APPEND, Map.of()), refused("token-not-issued"));
    assertSentOn(worker.write(fresh, APPEND, Map.of()), "accepted");
  }

  @Test
  void aMissingTokenOrLeaseWouldBeRefusedAndAMalformedOneIs() {
    Answer none = bare(Map.of());
    assertSentOn(none, refused("token-required"));
    assertThat(none.header("Fencing-Token")).isEmpty();
    assertThat(none.json().getValue("fencingToken")).isNull();
    Lock lock = worker.acquire(R);
    assertSentOn(bare(Map.of("Fencing-Token", lock.token())), refused("lease-required"));
    for (String malformed : List.of("007", "-1", "x")) {
      Answer answer = bare(Map.of("Fencing-Token", malformed));
      assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
      assertThat(answer.code()).isEqualTo("invalid-token");
    }
    assertThat(bare(Map.of("Fencing-Token", lock.token(), "Fencing-Lease", "!")).status())
        .isEqualTo(400);
  }

  @Test
  void aKeyIsAppliedOnceAndNeedsNoToken() {
    Map<String, String> key = Map.of("Idempotency-Key", "k");
    Answer first = bare(key);
    assertSentOn(first, refused("token-required"));
    Answer again = bare(key);
    assertSentOn(again, "accepted");
    assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
    assertThat(again.body()).isEqualTo(first.body());
    JsonObject known = worker.get("/v1/writes/" + R + "?key=k").json();
    assertThat(known.getString("outcome")).isEqualTo("applied");
    assertThat(known.getValue("fencingToken")).isNull();
  }

  @Test
  void metricsAndAuditTellWhatEnforcingWouldHaveSaid() throws IOException {
    Lock lock = worker.acquire(R);
    worker.write(lock, APPEND, Map.of());
    bare(Map.of());
    assertThat(operator.get("/metrics").body())
        .contains(
            "fencegate_shadow_writes_total{code=\"ok\",decision=\"accepted\",policy=\"demo\"} 1.0")
        .contains(
            "fencegate_shadow_writes_total{code=\"token-required\",decision=\"rejected\",policy=\"demo\"}"
                + " 1.0")
        .contains("guarantee=\"best-effort\"");
    List<JsonObject> lines =
        Awaitility.await()
            .atMost(Duration.ofSeconds(10))
            .until(this::writesInAudit, found -> found.size() == 2);
    assertThat(lines.get(0).getString("shadowDecision")).isEqualTo("accepted");
    assertThat(lines.get(1).getString("decision")).isEqualTo("accepted");
    assertThat(lines.get(1).getString("shadowDecision")).isEqualTo("rejected");
    assertThat(lines.get(1).getString("shadowCode")).isEqualTo("token-required");
    assertThat(lines.get(1).getValue("fencingToken")).isNull();
  }

  private List<JsonObject> writesInAudit() throws IOException {
    return Files.readAllLines(gateways.auditFile(0)).stream()
        .map(JsonObject::new)
        .filter(line -> line.getString("event").equals("write"))
        .toList();
  }

  @Test
  void operatorsSeeThatNothingIsPromised() {
    JsonObject policy =
        operator.get("/admin/v1/policies").json().getJsonArray("policies").getJsonObject(0);
    for (JsonObject shown : List.of(policy, shown())) {
      assertThat(shown.getString("enforcement")).isEqualTo("shadow");
      assertThat(shown.getString("demanded")).isEqualTo("strict");
      assertThat(shown.getString("guarantee")).isEqualTo("best-effort");
      assertThat(shown.getString("reason")).contains("shadow");
    }
  }

  @Test
  void nothingIsSealedAndABreakSaysThatNobodyIsShutOut() {
    Lock lock = worker.acquire(R);
    Answer sealed = worker.seal(lock);
    assertThat(sealed.status()).as(sealed.toString()).isEqualTo(405);
    JsonObject request = new JsonObject().put("resource", R).put("reason", "stuck");
    Answer broken = operator.post("/admin/v1/locks/break", request);
    assertThat(broken.json().getString("enforcement")).isEqualTo("shadow");
    assertSentOn(worker.write(lock, APPEND, Map.of()), refused("stale-token"));
  }

  @Test
  void enforcingAgainHoldsFromTheNextWriteOn() throws IOException {
    Lock old = worker.acquire(R);
    assertSentOn(worker.write(old, APPEND, Map.of()), "accepted");
    worker.release(old);
    Lock fresh = worker.acquire(R);
    reload("enforce");
    Answer first = worker.write(fresh, APPEND, Map.of());
    assertThat(first.status()).as(first.toString()).isEqualTo(200);
    assertThat(first.header("Fencing-Guarantee")).isEqualTo("strict");
    assertThat(first.header("Fencing-Epoch")).isEqualTo(fresh.token());
    assertThat(worker.write(old, APPEND, Map.of()).code()).isEqualTo("stale-token");
    assertThat(bare(Map.of()).code()).isEqualTo("token-required");
    reload("shadow");
    assertSentOn(worker.write(old, APPEND, Map.of()), refused("stale-token"));
    reload("enforce");
    assertThat(worker.write(fresh, APPEND, Map.of()).status()).isEqualTo(200);
    assertThat(worker.write(old, APPEND, Map.of()).code()).isEqualTo("stale-token");
  }
}

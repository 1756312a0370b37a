/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.SigningKey;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tokens that somebody else issues: bounded, signed where that is wanted, never mixed with locks'.
 */
class ExternalTokensTest {

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        scratch: { type: memory }
      resources:
        - name: demo
          match: demo/{name}
          adapter: scratch
          token: %s
          operations:
            append: { sql: "append", params: { text: text } }
      """;

  private static final String EXTERNAL = "{ source: external, start: 1, maxJump: 1000 }";
  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final String SIGNED =
      "{ source: external, start: 1, maxJump: 1000, hmacKey: " + SECRET + " }";

  private static final JsonObject APPEND =
      new JsonObject()
          .put("operation", "append")
          .put("params", new JsonObject().put("text", "hello"));

  private static final String R = "demo/one";

  @TempDir Path folder;
  private TestGateways gateways;

  @AfterEach
  void stop() {
    gateways.close();
  }

  private void start(String token) throws IOException {
    gateways = TestGateways.start(folder, POLICIES.formatted(token), 1);
  }

  private Answer write(long token, Map<String, String> more) {
    Map<String, String> headers = new HashMap<>(more);
    headers.put("Fencing-Token", Long.toString(token));
    return gateways.client(0).send("POST", "/v1/write/" + R, APPEND.encode(), headers);
  }

  private Answer write(long token) {
    return write(token, Map.of());
  }

  private Answer reset(JsonObject request) {
    return gateways.operator(0).post("/admin/v1/epochs/" + R + "/reset", request);
  }

  private void switchPolicy() {
    String path = "/admin/v1/policies/demo/switch";
    gateways.operator(0).post(path, new JsonObject().put("reason", "another issuer"));
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> gateways.operator(0).get(path).json().getString("state"), "switched"::equals);
  }

  private static void assertApplied(Answer answer) {
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    assertThat(answer.header("Fencing-Decision")).isEqualTo("accepted");
  }

  @Test
  void tokensNeedNoLeaseAndOnlyRiseByBoundedJumps() throws IOException {
    start(EXTERNAL);
    assertThat(write(1_002).code()).isEqualTo("token-not-issued");
    assertApplied(write(1_001));
    assertApplied(write(1_001));
    assertApplied(write(2_001));
    Answer stale = write(1_001);
    assertThat(stale.status()).isEqualTo(412);
    assertThat(stale.code()).isEqualTo("stale-token");
    assertThat(stale.header("Fencing-Epoch")).isEqualTo("2001");
    Answer forged = write(Long.MAX_VALUE);
    assertThat(forged.status()).isEqualTo(403);
    assertThat(forged.header("Fencing-Epoch")).isEqualTo("2001");
    assertApplied(write(2_002));
    JsonObject shown = gateways.operator(0).get("/admin/v1/resources/" + R).json();
    assertThat(shown.getString("tokenSource")).isEqualTo("external");
    assertThat(shown.getString("epoch")).isEqualTo("2002");
    assertThat(
            gateways
                .operator(0)
                .get("/admin/v1/policies")
                .json()
                .getJsonArray("policies")
                .getJsonObject(0)
                .getString("tokenSource"))
        .isEqualTo("external");
  }

  @Test
  void thereIsNoLockToAcquireOrToBreak() throws IOException {
    start(EXTERNAL);
    Answer acquire = gateways.client(0).tryAcquire(R, 2_000);
    assertThat(acquire.code()).isEqualTo("unknown-resource");
    assertThat(acquire.json().getString("detail")).contains("external");
    JsonObject request = new JsonObject().put("resource", R).put("reason", "stuck");
    assertThat(gateways.operator(0).post("/admin/v1/locks/break", request).code())
        .isEqualTo("unknown-resource");
  }

  @Test
  void aSealShutsLowerTokensOut() throws IOException {
    start(EXTERNAL);
    assertApplied(write(1));
    Answer sealed =
        gateways.client(0).send("POST", "/v1/seal/" + R, "", Map.of("Fencing-Token", "5"));
    assertThat(sealed.status()).as(sealed.toString()).isEqualTo(200);
    assertThat(write(4).code()).isEqualTo("stale-token");
  }

  private static Map<String, String> signature(String resource, long token) {
    String signature =
        SigningKey.parse(SECRET)
            .orThrow()
            .sign(new ResourceName(resource), new FencingToken(token), Principal.ANONYMOUS)
            .reveal();
    return Map.of("Fencing-Token-Signature", signature);
  }

  @Test
  void everyWriteNeedsTheIssuersSignatureForThisResourceAndToken() throws IOException {
    start(SIGNED);
    assertApplied(write(7, signature(R, 7)));
    List<Map<String, String>> wrong = List.of(Map.of(), signature("demo/two", 7), signature(R, 8));
    for (Map<String, String> headers : wrong) {
      Answer answer = write(7, headers);
      assertThat(answer.status()).as(answer.toString()).isEqualTo(403);
      assertThat(answer.code()).isEqualTo("token-not-issued");
      assertThat(answer.json().getString("field")).isEqualTo("Fencing-Token-Signature");
    }
    assertThat(write(7, Map.of("Fencing-Token-Signature", "abc")).status()).isEqualTo(400);
    assertThat(
            gateways
                .client(0)
                .send("POST", "/v1/seal/" + R, "", Map.of("Fencing-Token", "9"))
                .code())
        .isEqualTo("token-not-issued");
    assertThat(Files.readString(gateways.auditFile(0)))
        .doesNotContain(SECRET)
        .doesNotContain(signature(R, 7).get("Fencing-Token-Signature"));
  }

  @Test
  void aKeysRecordIsNotToldToAFalseSignature() throws IOException {
    start(SIGNED);
    Map<String, String> good = new HashMap<>(signature(R, 7));
    good.put("Idempotency-Key", "k");
    assertApplied(write(7, good));
    assertThat(write(7, Map.of("Idempotency-Key", "k")).code()).isEqualTo("token-not-issued");
    assertThat(write(7, good).header("Idempotent-Replayed")).isEqualTo("true");
  }

  @Test
  void anotherSourceCountsOnlyAfterAnAuditedReset() throws IOException {
    start("{ source: lock }");
    Lock lock = gateways.client(0).acquire(R);
    assertApplied(gateways.client(0).write(lock, APPEND, Map.of()));
    assertThat(reset(new JsonObject().put("reason", "why not")).code())
        .as("tokens of locks only rise")
        .isEqualTo("invalid-request");
    gateways.close();
    start(EXTERNAL);
    Answer early = write(5);
    assertThat(early.status()).as(early.toString()).isEqualTo(503);
    assertThat(early.code()).isEqualTo("handover");
    switchPolicy();
    assertThat(write(5).json().getString("detail")).doesNotContain("policy switch");
    assertThat(reset(new JsonObject()).json().getString("field")).isEqualTo("reason");
    Answer reset = reset(new JsonObject().put("reason", "the issuer changes"));
    assertThat(reset.status()).as(reset.toString()).isEqualTo(200);
    assertThat(reset.json())
        .isEqualTo(
            new JsonObject()
                .put("resource", R)
                .put("reset", true)
                .put("before", lock.token())
                .put("beforeSource", "lock")
                .put("source", "external"));
    assertApplied(write(5));
    JsonObject line =
        Awaitility.await()
            .atMost(Duration.ofSeconds(10))
            .until(() -> lines("epoch-reset"), found -> !found.isEmpty() && ok(found))
            .stream()
            .filter(it -> it.getString("code").equals("ok"))
            .findFirst()
            .orElseThrow();
    assertThat(line.getString("reason")).isEqualTo("the issuer changes");
    assertThat(line.getString("epoch")).isEqualTo(lock.token());
  }

  private static boolean ok(List<JsonObject> lines) {
    return lines.stream().anyMatch(it -> it.getString("code").equals("ok"));
  }

  private List<JsonObject> lines(String event) throws IOException {
    return Files.readAllLines(gateways.auditFile(0)).stream()
        .map(JsonObject::new)
        .filter(line -> line.getString("event").equals(event))
        .toList();
  }

  @Test
  void anIssuerThatStartsAnewCountsAfterAReset() throws IOException {
    start(EXTERNAL);
    assertApplied(write(900));
    assertThat(write(1).code()).isEqualTo("stale-token");
    Answer reset = reset(new JsonObject().put("reason", "the issuer was set up anew"));
    assertThat(reset.json().getString("before")).as(reset.toString()).isEqualTo("900");
    assertApplied(write(1));
    assertThat(reset(new JsonObject().put("reason", "twice")).json().getString("before"))
        .isEqualTo("1");
    assertThat(reset(new JsonObject().put("reason", "thrice")).json().getValue("before")).isNull();
  }

  @Test
  void theSourceOfServedResourcesStaysUntilASwitch() throws IOException {
    start(EXTERNAL);
    assertApplied(write(5));
    Files.writeString(gateways.policyFile(), POLICIES.formatted("{ source: lock }"));
    Answer answer = gateways.operator(0).send("POST", "/admin/v1/policies/reload", "", Map.of());
    assertThat(answer.json().getJsonArray("different")).contains("demo");
    Lock lock = gateways.client(0).acquire(R);
    Answer write = gateways.client(0).write(lock, APPEND, Map.of());
    assertThat(write.code()).as(write.toString()).isEqualTo("handover");
    assertThat(write.json().getString("detail")).contains("token.source");
  }
}

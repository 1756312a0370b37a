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

/** Policies change under a running gateway: all or nothing, and never what safety depends on. */
class ReloadTest {

  private static final String HEAD =
      """
      apiVersion: fencegate/v1
      adapters:
        one: { type: memory }
        two: { type: memory }
      resources:
      """;

  @TempDir Path folder;
  private TestGateways gateways;

  @BeforeEach
  void start() throws IOException {
    gateways = TestGateways.start(folder, HEAD + policy("a", "one", ""), 1);
  }

  @AfterEach
  void stop() {
    gateways.close();
  }

  private static String policy(String match, String adapter, String more) {
    return """
        - name: %s-%s
          match: %s/{name}
          adapter: %s
        %s  operations:
            append: { sql: append, params: { text: text } }
      """
        .formatted(match, adapter, match, adapter, more.isEmpty() ? "" : "  " + more + "\n")
        .replaceAll("(?m)^  ( *-| {2})", "$1");
  }

  private Answer reload(String resources) throws IOException {
    Files.writeString(gateways.policyFile(), HEAD + resources);
    return gateways.operator(0).send("POST", "/admin/v1/policies/reload", "", Map.of());
  }

  private int acquire(String resource) {
    return gateways.client(0).tryAcquire(resource, 2_000).status();
  }

  @Test
  void whatIsHarmlessIsInForceAtOnce() throws IOException {
    assertThat(acquire("b/x")).isEqualTo(404);
    Answer answer =
        reload(policy("a", "one", "limits: { maxInFlight: 1 }") + policy("b", "two", ""));
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    assertThat(acquire("b/x")).isEqualTo(200);
  }

  @Test
  void aChangedFileIsNoticed() throws IOException {
    Files.writeString(
        gateways.policyFile(), HEAD + policy("a", "one", "") + policy("c", "one", ""));
    Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> acquire("c/x") == 200);
  }

  @Test
  void aBrokenFileKeepsTheLastGoodOneAndShowsInTheMetric() throws IOException {
    Answer answer = reload("  - name: nonsense");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.json().getString("detail")).contains("test.yaml:");
    assertThat(acquire("a/x")).isEqualTo(200);
    assertThat(gateways.operator(0).get("/metrics").body())
        .contains("fencegate_policy_last_reload_successful 0");
  }

  private Answer write(Lock lock) {
    JsonObject append =
        new JsonObject()
            .put("operation", "append")
            .put("params", new JsonObject().put("text", "hello"));
    return gateways.client(0).write(lock, append, Map.of());
  }

  /** The policies that a reload found in another form than the one in force. */
  private static List<String> names(Answer reloaded) {
    assertThat(reloaded.status()).as(reloaded.toString()).isEqualTo(200);
    return reloaded.json().getJsonArray("different").stream().map(String::valueOf).toList();
  }

  private JsonObject switchAndAwait(String policy) {
    String path = "/admin/v1/policies/" + policy + "/switch";
    Answer begun = gateways.operator(0).post(path, new JsonObject().put("reason", "moved"));
    assertThat(begun.status()).as(begun.toString()).isEqualTo(200);
    Awaitility.await()
        .atMost(Duration.ofSeconds(40))
        .until(() -> !gateways.operator(0).get(path).json().getString("state").equals("draining"));
    return gateways.operator(0).get(path).json();
  }

  @Test
  void servedResourcesMoveToAnotherDownstreamByASwitchOnly() throws IOException {
    Lock lock = gateways.client(0).acquire("a/x");
    assertThat(write(lock).status()).isEqualTo(200);
    String moved = policy("a", "one", "").replace("adapter: one", "adapter: two");
    assertThat(names(reload(moved))).containsExactly("a-one");
    Answer refused = write(lock);
    assertThat(refused.status()).as(refused.toString()).isEqualTo(503);
    assertThat(refused.code()).isEqualTo("handover");
    assertThat(refused.json().getString("outcome")).isEqualTo("rejected");
    assertThat(refused.json().getString("detail"))
        .contains("another adapter", "policy switch a-one");
    assertThat(gateways.operator(0).get("/metrics").body())
        .contains("fencegate_policies_different 1.0");
    assertThat(gateways.operator(0).get("/admin/v1/policies").body())
        .contains("adapter 'memory two' instead of 'memory one'");
    assertThat(gateways.operator(0).get("/readyz").body()).contains("a-one");
    Answer closing = gateways.client(0).send("POST", "/v1/writes/a/x/close?key=k", "", Map.of());
    assertThat(closing.code()).as(closing.toString()).isEqualTo("handover");
    Answer bad = gateways.operator(0).post("/admin/v1/policies/a-one/switch", new JsonObject());
    assertThat(bad.json().getString("field")).isEqualTo("reason");
    assertThat(switchAndAwait("a-one").getString("state")).isEqualTo("switched");
    assertThat(write(lock).status()).isEqualTo(200);
    assertThat(Files.readString(gateways.auditFile(0))).contains("policy-switch");
    Answer listed = gateways.operator(0).get("/admin/v1/policies");
    assertThat(listed.body()).contains("\"agreed\":\"agreed\"");
    assertThat(gateways.operator(0).get("/admin/v1/freezes").json().getJsonArray("freezes"))
        .isEmpty();
  }

  @Test
  void noDetourLeadsToAnotherDownstream() throws IOException {
    Lock lock = gateways.client(0).acquire("a/x");
    assertThat(names(reload(policy("a", "two", "")))).containsExactly("a-two");
    assertThat(write(lock).code()).isEqualTo("handover");
    assertThat(names(reload(policy("b", "two", "")))).isEmpty();
    assertThat(names(reload(policy("a", "two", "") + policy("b", "two", ""))))
        .containsExactly("a-two");
    assertThat(
            names(
                reload(
                    policy("a", "one", "")
                        + policy("a", "two", "priority: 5")
                        + policy("b", "two", ""))))
        .containsExactly("a-two");
    assertThat(write(lock).code()).isEqualTo("handover");
    assertThat(names(reload(policy("a", "one", "") + policy("b", "two", "")))).isEmpty();
    assertThat(write(lock).status()).isEqualTo(200);
  }

  @Test
  void theScopeOfKeysStays() throws IOException {
    String scope = "idempotency: { required: false, retention: 1h, scope: resource }";
    assertThat(names(reload(policy("a", "one", scope)))).containsExactly("a-one");
    Lock lock = gateways.client(0).acquire("a/x");
    assertThat(write(lock).json().getString("detail")).contains("idempotency.scope");
  }
}

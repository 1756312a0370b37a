/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.server.ApiClient.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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

  @Test
  void servedResourcesNeverMoveToAnotherDownstreamByWhateverDetour() throws IOException {
    assertThat(reload(policy("a", "two", "")).status()).isEqualTo(400);
    assertThat(reload(policy("b", "two", "")).status()).isEqualTo(200);
    assertThat(reload(policy("a", "two", "") + policy("b", "two", "")).status()).isEqualTo(400);
    assertThat(reload(policy("a", "one", "") + policy("b", "two", "")).status()).isEqualTo(200);
    Answer overruled =
        reload(policy("a", "one", "") + policy("a", "two", "priority: 5") + policy("b", "two", ""));
    assertThat(overruled.status()).as(overruled.toString()).isEqualTo(400);
  }

  @Test
  void theScopeOfKeysStays() throws IOException {
    String scope = "idempotency: { required: false, retention: 1h, scope: resource }";
    Answer answer = reload(policy("a", "one", scope));
    assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
    assertThat(answer.json().getString("detail")).contains("idempotency.scope");
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonArray;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Operators stop writes and let them in again. */
class FreezesTest {

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        scratch: { type: memory }
      resources:
        - name: ledger
          match: ledger/{area}/{name}
          adapter: scratch
          operations:
            append: { sql: "append", params: { text: text } }
        - name: other
          match: other/{name}
          adapter: scratch
          operations:
            append: { sql: "append", params: { text: text } }
        - name: watched
          match: watched/{name}
          adapter: scratch
          enforcement: shadow
          operations:
            append: { sql: "append", params: { text: text } }
      """;

  private static final JsonObject APPEND =
      new JsonObject()
          .put("operation", "append")
          .put("params", new JsonObject().put("text", "hello"));

  private static final String REASON = "wrong rates, INC-4711";
  private static final String FREEZES = "/admin/v1/freezes";

  @TempDir Path folder;
  private final FaultyReads faults = new FaultyReads();
  private TestGateways gateways;
  private ApiClient worker;

  @BeforeEach
  void start() throws IOException {
    gateways = TestGateways.start(folder, POLICIES, 2, faults::before);
    worker = gateways.client(0);
  }

  @AfterEach
  void stop() {
    gateways.close();
  }

  private Answer freeze(int gateway, JsonObject request) {
    return gateways.operator(gateway).post(FREEZES, request);
  }

  private String frozen(JsonObject request) {
    Answer answer = freeze(0, request.put("reason", REASON));
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    assertThat(answer.json().getInteger("everywhereWithinMs")).isEqualTo(5_000);
    return answer.json().getString("id");
  }

  private Answer lift(int gateway, String id) {
    return gateways
        .operator(gateway)
        .send(
            "DELETE",
            FREEZES + "/" + id,
            new JsonObject().put("reason", "corrected").encode(),
            Map.of());
  }

  private static JsonObject scope(String scope, String target) {
    JsonObject json = new JsonObject().put("scope", scope);
    return target.isEmpty() ? json : json.put("target", target);
  }

  private Answer write(int gateway, Lock lock) {
    return gateways.client(gateway).write(lock, APPEND, Map.of());
  }

  private static void within(Duration atMost, java.util.concurrent.Callable<Boolean> condition) {
    Awaitility.await().atMost(atMost).pollInterval(Duration.ofMillis(20)).until(condition);
  }

  private static void assertFrozen(Answer answer) {
    assertThat(answer.status()).as(answer.toString()).isEqualTo(423);
    assertThat(answer.code()).isEqualTo("frozen");
    assertThat(answer.json().getString("detail")).contains(REASON);
    assertThat(answer.json().getString("outcome")).isEqualTo("rejected");
    assertThat(answer.json().getBoolean("retryable")).isFalse();
    assertThat(answer.header("Fencing-Decision")).isEqualTo("rejected;reason=\"frozen\"");
    assertThat(answer.header("Retry-After")).isEmpty();
  }

  @Test
  void whatIsFrozenThroughOneGatewayIsRefusedByAllWithTheReasonAndLetInAgain() throws IOException {
    Lock lock = worker.acquire("ledger/eu/one");
    // Each gateway has a memory of its own, so each has a resource of its own.
    Lock there = worker.acquire("ledger/eu/two");
    assertThat(write(0, lock).status()).isEqualTo(200);
    assertThat(write(1, there).status()).isEqualTo(200);
    String id = frozen(scope("policy", "ledger"));
    assertFrozen(write(0, lock));
    within(Duration.ofSeconds(2), () -> write(1, there).status() == 423);
    assertFrozen(write(1, there));
    assertFrozen(worker.seal(lock));
    JsonArray listed = gateways.operator(1).get(FREEZES).json().getJsonArray("freezes");
    assertThat(listed).hasSize(1);
    assertThat(listed.getJsonObject(0).getString("id")).isEqualTo(id);
    assertThat(listed.getJsonObject(0).getString("scope")).isEqualTo("policy");
    assertThat(listed.getJsonObject(0).getString("target")).isEqualTo("ledger");
    assertThat(listed.getJsonObject(0).getString("reason")).isEqualTo(REASON);
    assertThat(gateways.operator(0).get("/metrics").body()).contains("fencegate_freezes 1.0");
    assertThat(gateways.operator(0).get("/readyz").body()).contains("1 in force");
    Answer lifted = lift(1, id);
    assertThat(lifted.status()).as(lifted.toString()).isEqualTo(200);
    assertThat(write(1, there).status()).isEqualTo(200);
    within(Duration.ofSeconds(2), () -> write(0, lock).status() == 200);
    assertThat(lift(0, id).code()).isEqualTo("not-found");
    assertAudited(id);
  }

  private void assertAudited(String id) throws IOException {
    within(Duration.ofSeconds(10), () -> !lines(1, "unfreeze").isEmpty());
    JsonObject freeze = lines(0, "freeze").get(0);
    assertThat(freeze.getString("id")).isEqualTo(id);
    assertThat(freeze.getString("reason")).isEqualTo(REASON);
    assertThat(freeze.getString("scope")).isEqualTo("policy");
    assertThat(freeze.getString("target")).isEqualTo("ledger");
    assertThat(freeze.getString("code")).isEqualTo("ok");
    JsonObject unfreeze = lines(1, "unfreeze").get(0);
    assertThat(unfreeze.getString("id")).isEqualTo(id);
    assertThat(unfreeze.getString("reason")).isEqualTo("corrected");
    assertThat(unfreeze.getString("frozenFor")).isEqualTo(REASON);
  }

  private List<JsonObject> lines(int gateway, String event) throws IOException {
    return Files.readAllLines(gateways.auditFile(gateway)).stream()
        .map(JsonObject::new)
        .filter(line -> line.getString("event").equals(event))
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    "resource, ledger/eu/one, false",
    "prefix, ledger/eu, false",
    "prefix, ledger/e, true",
    "policy, ledger, false",
    "policy, other, true",
    "all, '', false"
  })
  void eachScopeStopsItsOwnWritesAndNoOthers(String scope, String target, boolean passes) {
    Lock lock = worker.acquire("ledger/eu/one");
    Lock free = worker.acquire("ledger/us/one");
    frozen(scope(scope, target));
    assertThat(write(0, lock).status()).isEqualTo(passes ? 200 : 423);
    boolean meansAll = scope.equals("all") || target.equals("ledger");
    assertThat(write(0, free).status()).isEqualTo(meansAll ? 423 : 200);
  }

  @Test
  void locksGoOnWhileWritesAreFrozen() {
    frozen(scope("all", ""));
    Lock lock = worker.acquire("ledger/eu/one");
    assertFrozen(write(0, lock));
    assertThat(worker.release(lock).status()).isEqualTo(200);
  }

  @Test
  void aFirstWriteAfterTheFreezeIsLiftedIsOrdered() {
    Lock old = worker.acquire("ledger/eu/one");
    String id = frozen(scope("all", ""));
    assertFrozen(write(0, old));
    worker.release(old);
    Lock next = worker.acquire("ledger/eu/one");
    assertFrozen(write(0, next));
    lift(0, id);
    assertThat(write(0, next).status()).isEqualTo(200);
    assertThat(write(0, old).code()).isEqualTo("stale-token");
  }

  @Test
  void aKeyThatWasAppliedIsAnsweredThoughItIsFrozenNow() {
    Lock lock = worker.acquire("ledger/eu/one");
    Map<String, String> key = Map.of("Idempotency-Key", "k-1");
    assertThat(worker.write(lock, APPEND, key).status()).isEqualTo(200);
    frozen(scope("all", ""));
    Answer again = worker.write(lock, APPEND, key);
    assertThat(again.status()).as(again.toString()).isEqualTo(200);
    assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
  }

  @Test
  void writesInShadowAreFrozenToo() {
    Lock lock = worker.acquire("watched/one");
    assertThat(write(0, lock).status()).isEqualTo(200);
    String id = frozen(scope("policy", "watched"));
    assertFrozen(write(0, lock));
    lift(0, id);
    assertThat(write(0, lock).status()).isEqualTo(200);
  }

  @Test
  void badRequestsNameTheField() {
    assertBad(scope("everything", "a").put("reason", "x"), "scope");
    assertBad(new JsonObject().put("reason", "x"), "scope");
    assertBad(scope("resource", "").put("reason", "x"), "target");
    assertBad(scope("resource", "a//b").put("reason", "x"), "target");
    assertBad(scope("prefix", "ledger/").put("reason", "x"), "target");
    assertBad(scope("policy", "a b").put("reason", "x"), "target");
    assertBad(scope("policy", "legder").put("reason", "x"), "target");
    assertBad(scope("all", "ledger").put("reason", "x"), "target");
    assertBad(scope("all", ""), "reason");
    assertBad(scope("all", "").put("reason", " "), "reason");
    assertBad(scope("all", "").put("reason", "x").put("till", 1), "till");
    assertThat(freeze(0, scope("resource", "nobody").put("reason", "x")).code())
        .isEqualTo("unknown-resource");
    assertThat(gateways.operator(0).get(FREEZES).json().getJsonArray("freezes")).isEmpty();
    Answer noReason = gateways.operator(0).send("DELETE", FREEZES + "/a", "{}", Map.of());
    assertThat(noReason.json().getString("field")).isEqualTo("reason");
  }

  private void assertBad(JsonObject request, String field) {
    Answer answer = freeze(0, request);
    assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
    assertThat(answer.json().getString("field")).isEqualTo(field);
  }

  @Test
  void whileFreezesCannotBeReadNothingIsLetInOnOldKnowledge() {
    Lock lock = worker.acquire("ledger/eu/one");
    Lock watched = worker.acquire("watched/one");
    assertThat(write(0, lock).status()).isEqualTo(200);
    faults.refuse("/freeze/");
    within(Duration.ofSeconds(10), () -> write(0, lock).status() != 200);
    Answer refused = write(0, lock);
    assertThat(refused.code()).isEqualTo("coordinator-unavailable");
    assertThat(refused.json().getString("outcome")).isEqualTo("rejected");
    assertThat(refused.json().getString("detail")).contains("frozen");
    assertThat(write(0, watched).status()).as("in shadow").isEqualTo(200);
    assertThat(gateways.operator(0).get(FREEZES).code()).isEqualTo("coordinator-unavailable");
    faults.refuse("");
    within(Duration.ofSeconds(5), () -> write(0, lock).status() == 200);
  }
}

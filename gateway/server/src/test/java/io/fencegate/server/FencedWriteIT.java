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
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One fenced write through two gateways into a real PostgreSQL, as the contract has it. */
class FencedWriteIT {

  private static final AtomicInteger NEXT = new AtomicInteger();

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        ledger-db:
          type: postgres
          url: %s
          pool: { size: 8 }
      resources:
        - name: settlement
          match: settlement/{region}
          adapter: ledger-db
          guarantee: strict
          idempotency: { required: false, retention: 24h, scope: resource }
          operations: &ops
            post-entry:
              sql: INSERT INTO entries(region, account, amount) VALUES (:region, :account, :amount) RETURNING id
              params: { account: text, amount: numeric }
              minRows: 1
            drain:
              sql: DELETE FROM entries WHERE region = :region AND account = :account
              params: { account: text }
              minRows: 1
      """;

  @TempDir static Path folder;
  private static TestPostgres postgres;
  private static TestGateways gateways;

  private ApiClient one;
  private ApiClient two;
  private String resource;

  @BeforeAll
  static void start() throws IOException {
    postgres = TestPostgres.start();
    postgres.run(
        "CREATE TABLE entries(id bigint GENERATED ALWAYS AS IDENTITY, region text, account text,"
            + " amount numeric CHECK (amount > 0))");
    gateways =
        TestGateways.start(
            folder, POLICIES.replace("&ops", "").formatted("\"" + postgres.url() + "\""), 2);
  }

  @AfterAll
  static void stop() throws IOException {
    gateways.close();
    postgres.close();
  }

  @BeforeEach
  void freshResource() {
    one = gateways.client(0);
    two = gateways.client(1);
    resource = "settlement/r" + NEXT.incrementAndGet();
  }

  private static JsonObject entry(String account, String amount) {
    return new JsonObject()
        .put("operation", "post-entry")
        .put("params", new JsonObject().put("account", account).put("amount", amount));
  }

  private List<String> entries() {
    return postgres.rows(
        "SELECT account, amount FROM entries WHERE region = '"
            + resource.substring("settlement/".length())
            + "' ORDER BY id");
  }

  private String epoch() {
    return gateways.operator(0).get("/admin/v1/resources/" + resource).json().getString("epoch");
  }

  @Test
  void theHolderWritesThroughAnyGateway() {
    Lock lock = one.acquire(resource);
    Answer first = one.write(lock, entry("17", "12.50"), Map.of());
    assertThat(first.status()).as(first.toString()).isEqualTo(200);
    assertThat(first.header("Fencing-Decision")).isEqualTo("accepted");
    assertThat(first.header("Fencing-Guarantee")).isEqualTo("strict");
    assertThat(first.header("Fencing-Epoch")).isEqualTo(lock.token());
    assertThat(first.json().getString("outcome")).isEqualTo("applied");
    JsonObject result = first.json().getJsonArray("results").getJsonObject(0);
    assertThat(result.getInteger("rowCount")).isEqualTo(1);
    assertThat(result.getJsonArray("rows").getJsonObject(0).getString("id")).matches("[0-9]+");
    assertThat(two.write(lock, entry("18", "0.01"), Map.of()).status()).isEqualTo(200);
    assertThat(entries()).containsExactly("17 12.50", "18 0.01");
  }

  @Test
  void aStaleTokenNeverReachesTheDownstream() {
    Lock old = one.acquire(resource);
    assertThat(one.write(old, entry("a", "1"), Map.of()).status()).isEqualTo(200);
    one.release(old);
    Lock fresh = two.acquire(resource);
    assertThat(two.write(fresh, entry("b", "2"), Map.of()).status()).isEqualTo(200);
    for (ApiClient gateway : List.of(one, two)) {
      Answer stale = gateway.write(old, entry("zombie", "3"), Map.of());
      assertThat(stale.status()).isEqualTo(412);
      assertThat(stale.code()).isEqualTo("stale-token");
      assertThat(stale.json().getString("outcome")).isEqualTo("rejected");
      assertThat(stale.json().getString("epoch")).isEqualTo(fresh.token());
      assertThat(stale.json().getString("fencingToken")).isEqualTo(old.token());
      assertThat(stale.header("Fencing-Decision")).isEqualTo("rejected;reason=\"stale-token\"");
    }
    assertThat(entries()).containsExactly("a 1", "b 2");
  }

  @Test
  void aTokenIsStaleAsSoonAsAnotherHoldsTheLockEvenBeforeItsFirstWrite() {
    Lock old = one.acquire(resource);
    one.release(old);
    Lock fresh = one.acquire(resource);
    assertThat(one.write(old, entry("zombie", "1"), Map.of()).code()).isEqualTo("stale-token");
    assertThat(one.write(fresh, entry("b", "2"), Map.of()).status()).isEqualTo(200);
  }

  @Test
  void afterReleaseNothingIsWrittenWithTheOldLease() {
    Lock lock = one.acquire(resource);
    assertThat(one.write(lock, entry("a", "1"), Map.of()).status()).isEqualTo(200);
    one.release(lock);
    assertThat(one.write(lock, entry("b", "2"), Map.of()).code()).isEqualTo("lease-expired");
    Awaitility.await()
        .atMost(Duration.ofSeconds(5))
        .until(() -> two.write(lock, entry("c", "3"), Map.of()).code(), "lease-expired"::equals);
    assertThat(entries()).containsExactly("a 1");
  }

  @Test
  void aForgedTokenMovesNothingAndTheTrueHolderStillWrites() {
    Lock holder = one.acquire(resource);
    Lock other = one.acquire("settlement/other" + NEXT.incrementAndGet());
    assertThat(one.write(holder, entry("a", "1"), Map.of()).status()).isEqualTo(200);
    String before = epoch();
    List<Lock> forged =
        List.of(
            new Lock(resource, holder.leaseId(), "9223372036854775807"),
            new Lock(resource, other.leaseId(), other.token()),
            new Lock(resource, holder.leaseId(), other.token()),
            new Lock(resource, other.leaseId(), holder.token()));
    for (Lock lock : forged) {
      for (ApiClient gateway : List.of(one, two)) {
        Answer answer = gateway.write(lock, entry("forged", "1"), Map.of());
        assertThat(answer.status()).as(lock.token() + " " + answer).isEqualTo(403);
        assertThat(answer.code()).isEqualTo("token-not-issued");
      }
    }
    assertThat(epoch()).isEqualTo(before);
    assertThat(two.write(holder, entry("b", "2"), Map.of()).status()).isEqualTo(200);
    assertThat(entries()).containsExactly("a 1", "b 2");
  }

  @Test
  void aKeyIsAppliedOnceAndReplayedByteForByteEvenAfterItsTokenIsStale() {
    Map<String, String> key = Map.of("Idempotency-Key", "k-1");
    Lock lock = one.acquire(resource);
    Answer first = one.write(lock, entry("a", "1"), key);
    Answer again = two.write(lock, entry("a", "1"), key);
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
    one.release(lock);
    Lock fresh = one.acquire(resource);
    assertThat(one.write(fresh, entry("b", "2"), Map.of()).status()).isEqualTo(200);
    Answer late = one.write(lock, entry("a", "1"), Map.of("Idempotency-Key", "\"k-1\""));
    assertThat(late.status()).isEqualTo(200);
    assertThat(late.header("Idempotent-Replayed")).isEqualTo("true");
    Answer successor = one.write(fresh, entry("a", "1"), key);
    assertThat(successor.json().getString("fencingToken")).isEqualTo(lock.token());
    assertThat(one.write(fresh, entry("a", "7"), key).code()).isEqualTo("idempotency-key-reused");
    assertThat(entries()).containsExactly("a 1", "b 2");
    JsonObject known = one.get("/v1/writes/" + resource + "?key=k-1").json();
    assertThat(known.getString("outcome")).isEqualTo("applied");
    assertThat(known.getString("fencingToken")).isEqualTo(lock.token());
  }

  @Test
  void aClosedKeyIsNeverApplied() {
    Lock lock = one.acquire(resource);
    assertThat(one.get("/v1/writes/" + resource + "?key=k").json().getString("outcome"))
        .isEqualTo("none");
    Answer closed = one.send("POST", "/v1/writes/" + resource + "/close?key=k", "", Map.of());
    assertThat(closed.json().getString("outcome")).as(closed.toString()).isEqualTo("rejected");
    Answer write = two.write(lock, entry("a", "1"), Map.of("Idempotency-Key", "k"));
    assertThat(write.status()).as(write.toString()).isEqualTo(422);
    assertThat(entries()).isEmpty();
  }

  @Test
  void aFirstWriteOfATermThatFailsOnAConstraintChangesNothingAndLeavesTheRaiseInPlace() {
    Lock old = one.acquire(resource);
    assertThat(one.write(old, entry("a", "1"), Map.of()).status()).isEqualTo(200);
    one.release(old);
    Lock fresh = two.acquire(resource);
    Answer failed = two.write(fresh, entry("b", "-1"), Map.of("Idempotency-Key", "k"));
    assertThat(failed.status()).isEqualTo(422);
    assertThat(failed.code()).isEqualTo("operation-failed");
    assertThat(failed.json().getString("sqlState")).isEqualTo("23514");
    assertThat(
            postgres.rows("SELECT epoch FROM fencegate.epochs WHERE resource = '" + resource + "'"))
        .containsExactly(fresh.token());
    assertThat(one.write(old, entry("zombie", "1"), Map.of()).code()).isEqualTo("stale-token");
    assertThat(two.write(fresh, entry("b", "1"), Map.of("Idempotency-Key", "k")).status())
        .as("a failed write leaves its key free")
        .isEqualTo(200);
  }

  @Test
  void allOperationsOfAWriteHappenOrNone() {
    Lock lock = one.acquire(resource);
    JsonObject body =
        new JsonObject()
            .put("operations", new JsonArray().add(entry("a", "1")).add(entry("b", "-1")));
    assertThat(one.write(lock, body, Map.of()).code()).isEqualTo("operation-failed");
    assertThat(entries()).isEmpty();
    body.getJsonArray("operations").getJsonObject(1).getJsonObject("params").put("amount", "2");
    Answer both = one.write(lock, body, Map.of());
    assertThat(both.json().getJsonArray("results")).hasSize(2);
    JsonObject drain =
        new JsonObject()
            .put("operation", "drain")
            .put("params", new JsonObject().put("account", "nobody"));
    assertThat(one.write(lock, drain, Map.of()).code()).isEqualTo("operation-failed");
    assertThat(entries()).containsExactly("a 1", "b 2");
  }

  @Test
  void aSealShutsOlderWritersOutOfTheDatabaseWithoutWriting() {
    Lock old = one.acquire(resource);
    assertThat(one.write(old, entry("a", "1"), Map.of()).status()).isEqualTo(200);
    one.release(old);
    Lock fresh = two.acquire(resource);
    Answer sealed = two.seal(fresh);
    assertThat(sealed.status()).as(sealed.toString()).isEqualTo(200);
    assertThat(sealed.json().getString("epoch")).isEqualTo(fresh.token());
    assertThat(sealed.header("Fencing-Decision")).isEqualTo("accepted");
    assertThat(sealed.header("Fencing-Guarantee")).isEqualTo("strict");
    assertThat(
            postgres.rows("SELECT epoch FROM fencegate.epochs WHERE resource = '" + resource + "'"))
        .containsExactly(fresh.token());
    assertThat(two.seal(old).code()).isEqualTo("stale-token");
    assertThat(entries()).containsExactly("a 1");
  }

  @Test
  void aDatabaseWhoseEpochWentBackwardsIsClosed() {
    Lock old = one.acquire(resource);
    assertThat(one.write(old, entry("a", "1"), Map.of()).status()).isEqualTo(200);
    one.release(old);
    postgres.run("DELETE FROM fencegate.epochs WHERE resource = '" + resource + "'");
    Lock fresh = one.acquire(resource);
    Answer answer = one.write(fresh, entry("b", "2"), Map.of());
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.code()).isEqualTo("epoch-went-backwards");
    assertThat(entries()).containsExactly("a 1");
  }

  @Test
  void theAuditTrailTellsEveryWriteAndNoSecret() throws IOException {
    Lock lock = one.acquire(resource);
    one.write(lock, entry("a", "1"), Map.of());
    one.write(new Lock(resource, lock.leaseId(), "1"), entry("a", "1"), Map.of());
    Path audit = gateways.auditFile(0);
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .until(
            () ->
                Files.readAllLines(audit).stream()
                        .filter(line -> line.contains("\"" + resource + "\""))
                        .count()
                    >= 3);
    assertThat(Files.readString(audit)).doesNotContain(lock.leaseId()).contains("stale-token");
    String metrics = gateways.operator(0).get("/metrics").body();
    assertThat(metrics).contains("fencegate_write_seconds_count").doesNotContain(resource);
  }

  @Test
  void readinessNamesEveryCheck() {
    Answer ready = gateways.operator(0).get("/readyz");
    assertThat(ready.status()).isEqualTo(200);
    assertThat(ready.body()).contains("adapter ledger-db").contains("coordinator");
    assertThat(gateways.operator(0).get("/livez").status()).isEqualTo(200);
    assertThat(gateways.operator(0).get("/admin/v1/resources/a%20b").code())
        .isEqualTo("invalid-resource");
  }
}

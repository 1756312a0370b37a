/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Writes that are on their way when a newer token comes, and writes of which nobody knows whether
 * they still land.
 */
@ParameterizedClass
@EnumSource
class ProxiedOrderTest {

  @TempDir static Path folder;
  @Parameter Way way;
  private static ProxyFixture fixture;

  @BeforeParameterizedClassInvocation
  static void start(Way way) throws IOException {
    fixture = new ProxyFixture(folder, way);
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    fixture.close();
  }

  @BeforeEach
  void forget() {
    fixture.downstream.forget();
  }

  @AfterEach
  void heal() {
    fixture.wire.pass();
    fixture.downstream.release();
  }

  private static Lock acquire(String policy) {
    return fixture.api.acquire(fixture.fresh(policy));
  }

  private static <T> T get(CompletableFuture<T> answer) {
    return answer.orTimeout(20, TimeUnit.SECONDS).join();
  }

  private static void assertUnknown(Answer answer) {
    assertThat(answer.status()).as(answer.toString()).isEqualTo(504);
    assertThat(answer.code()).isEqualTo("outcome-unknown");
    assertThat(answer.header("Fencing-Decision")).isEqualTo("unknown;reason=\"outcome-unknown\"");
  }

  private static void assertBlocked(Lock newer) {
    Answer blocked = fixture.send(newer, "POST", "next", "x");
    assertThat(blocked.status()).as(blocked.toString()).isEqualTo(503);
    assertThat(blocked.code()).isEqualTo("predecessor-unresolved");
    assertThat(blocked.json().getString("outcome")).isEqualTo("rejected");
  }

  @Test
  void aNewerTokensWriteWaitsUntilTheOlderOneOnItsWayIsSettled() {
    Lock older = acquire("ledger");
    CompletableFuture<Answer> first = fixture.start(older, "hold");
    await().until(() -> fixture.downstream.held() == 1);
    Lock newer = fixture.handOver(older);
    CompletableFuture<Answer> second = fixture.start(newer, "next");
    await()
        .until(
            () ->
                fixture
                    .carrier()
                    .get("/admin/v1/resources/" + older.resource())
                    .json()
                    .getInteger("inFlight")
                    .equals(2));
    assertThat(fixture.downstream.heads()).hasSize(1);
    fixture.downstream.release();
    assertThat(get(first).body()).isEqualTo("released");
    assertThat(get(second).status()).isEqualTo(200);
    assertThat(fixture.downstream.seen().stream().map(it -> it.header("fencing-token")))
        .containsExactly(older.token(), newer.token());
  }

  @Test
  void anOlderWriteThatStillWaitsForAConnectionIsNeverSentOnceANewerOneHasEntered() {
    Lock busy = acquire("ledger");
    List<CompletableFuture<Answer>> occupying =
        Stream.generate(() -> fixture.start(busy, "hold")).limit(4).toList();
    await().until(() -> fixture.downstream.held() == 4);
    Lock older = acquire("ledger");
    CompletableFuture<Answer> late = fixture.start(older, "late");
    await().until(() -> inFlight(older) == 1);
    Lock newer = fixture.handOver(older);
    CompletableFuture<Answer> next = fixture.start(newer, "next");
    await().until(() -> inFlight(older) == 2);
    fixture.downstream.release();
    assertThat(get(late).code()).isEqualTo("stale-token");
    assertThat(get(next).status()).isEqualTo(200);
    occupying.forEach(it -> assertThat(get(it).status()).isEqualTo(200));
    assertThat(fixture.downstream.heads()).noneMatch(it -> it.endsWith("late"));
  }

  @Test
  void writesStuckOnTheWireKeepNewerTokensOut() {
    Lock older = acquire("wire");
    assertThat(fixture.send(older, "POST", "first", "x").status())
        .as("there is a connection")
        .isEqualTo(200);
    fixture.wire.blackhole();
    List<CompletableFuture<Answer>> late =
        List.of(fixture.start(older, "late"), fixture.start(older, "late"));
    await().until(() -> inFlight(older) == 2);
    Lock newer = fixture.handOver(older);
    CompletableFuture<Answer> next = fixture.start(newer, "next");
    assertUnknown(get(late.get(0)));
    assertUnknown(get(late.get(1)));
    assertThat(get(next).code()).isEqualTo("predecessor-unresolved");
    fixture.wire.pass();
    assertThat(fixture.downstream.seen()).noneMatch(it -> it.uri().endsWith("next"));
  }

  private static int inFlight(Lock lock) {
    return fixture
        .carrier()
        .get("/admin/v1/resources/" + lock.resource())
        .json()
        .getInteger("inFlight");
  }

  @Test
  void aCutConnectionLeavesAWriteUnknownSentOnceAndBeforeNewerTokens() {
    Lock older = acquire("ledger");
    assertUnknown(fixture.send(older, "POST", "cut", "x"));
    assertThat(fixture.downstream.heads()).hasSize(1);
    assertThat(fixture.send(older, "POST", "same", "x").status()).isEqualTo(200);
    Lock newer = fixture.handOver(older);
    assertBlocked(newer);
    assertThat(fixture.api.seal(newer).code()).isEqualTo("predecessor-unresolved");
    assertThat(fixture.downstream.heads()).hasSize(2);
    Answer shown = fixture.carrier().get("/admin/v1/resources/" + newer.resource());
    assertThat(shown.json().getInteger("unresolved")).isEqualTo(1);
  }

  @Test
  void anOperatorsWordEndsADoubt() {
    Lock older = acquire("ledger");
    assertUnknown(fixture.send(older, "POST", "cut", "x"));
    assertUnknown(fixture.send(older, "POST", "cut", "x"));
    Lock newer = fixture.handOver(older);
    assertBlocked(newer);
    JsonObject doubt = doubtAbout(older);
    assertThat(doubt.getInteger("writes")).isEqualTo(2);
    assertThat(doubt.getString("fencingToken")).isEqualTo(older.token());
    String path = "/admin/v1/unresolved/" + doubt.getString("id") + "/resolve";
    assertThat(resolve(path, new JsonObject().put("as", "maybe").put("reason", "r")).status())
        .isEqualTo(400);
    JsonObject word = new JsonObject().put("as", "rejected").put("reason", "not in the ledger");
    assertThat(resolve(path, word).status()).isEqualTo(200);
    assertThat(resolve(path, word).status()).isEqualTo(404);
    assertThat(fixture.send(newer, "POST", "next", "x").status()).isEqualTo(200);
  }

  private static Answer resolve(String path, JsonObject word) {
    return fixture.carrier().post(path, word);
  }

  private static JsonObject doubtAbout(Lock lock) {
    return fixture.carrier().get("/admin/v1/unresolved").json().getJsonArray("unresolved").stream()
        .map(JsonObject.class::cast)
        .filter(it -> it.getString("resource").equals(lock.resource()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void anAnswerThatNeverComesIsUnknownInTime() {
    Lock older = acquire("ledger");
    long start = System.nanoTime();
    assertUnknown(fixture.send(older, "POST", "never", "x"));
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(Duration.ofSeconds(4), Duration.ofSeconds(9));
    assertBlocked(fixture.handOver(older));
  }

  @Test
  void aLostReplyLeavesTheWriteUnknown() {
    Lock lock = acquire("wire");
    assertThat(fixture.send(lock, "POST", "first", "x").status()).isEqualTo(200);
    fixture.wire.swallowReplies();
    assertUnknown(fixture.send(lock, "POST", "lost-reply", "x"));
    assertThat(fixture.downstream.seen()).hasSize(2);
    fixture.wire.pass();
    assertThat(fixture.send(lock, "POST", "after", "x").status())
        .as("a connection that lost a reply is not used again")
        .isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(ints = {202, 408, 425, 429, 500, 502, 503, 504})
  void aStatusThatSaysNothingForCertainKeepsNewerTokensOut(int status) {
    Lock older = acquire("ledger");
    assertThat(fixture.send(older, "POST", "status-" + status, "x").status()).isEqualTo(status);
    assertBlocked(fixture.handOver(older));
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 201, 204, 303, 307, 400, 404, 409, 412, 422})
  void aStatusThatSettlesLetsNewerTokensPass(int status) {
    Lock older = acquire("ledger");
    assertThat(fixture.send(older, "POST", "status-" + status, "x").status()).isEqualTo(status);
    assertThat(fixture.send(fixture.handOver(older), "POST", "next", "x").status()).isEqualTo(200);
  }

  @Test
  void whereThePolicyWaitsTheDoubtEndsWithItsTime() {
    Lock older = acquire("waiting");
    assertUnknown(fixture.send(older, "POST", "cut", "x"));
    Lock newer = fixture.handOver(older);
    Answer early = fixture.send(newer, "POST", "next", "x");
    assertThat(early.code()).isEqualTo("predecessor-unresolved");
    assertThat(early.json().getInteger("retryAfterMs")).isBetween(1, 2_001);
    await()
        .atMost(Duration.ofSeconds(5))
        .until(() -> fixture.send(newer, "POST", "next", "x").status() == 200);
  }

  @Test
  void aRefusedConnectionIsProofThatNothingWasSent() {
    Lock older = acquire("gone");
    Answer answer = fixture.send(older, "POST", "a", "x");
    assertThat(answer.status()).isEqualTo(502);
    assertThat(answer.code()).isEqualTo("upstream-unreachable");
    assertThat(answer.json().getString("outcome")).isEqualTo("rejected");
    assertThat(fixture.send(fixture.handOver(older), "POST", "a", "x").code())
        .isEqualTo("upstream-unreachable");
  }

  @Test
  void anAnswerThatBreaksOffIsSeenToBreakOffAndSettlesNothing() {
    Lock older = acquire("ledger");
    assertThat(
            org.assertj.core.api.Assertions.catchThrowable(
                () -> fixture.send(older, "POST", "half", "x")))
        .isInstanceOf(java.io.UncheckedIOException.class);
    assertBlocked(fixture.handOver(older));
  }

  @Test
  void aSealAnswersOnceTheOlderWriteIsSettled() {
    Lock older = acquire("ledger");
    CompletableFuture<Answer> first = fixture.start(older, "hold");
    await().until(() -> fixture.downstream.held() == 1);
    Lock newer = fixture.handOver(older);
    CompletableFuture<Answer> seal = CompletableFuture.supplyAsync(() -> fixture.api.seal(newer));
    await().until(() -> inFlight(newer) == 2);
    assertThat(seal).isNotDone();
    fixture.downstream.release();
    assertThat(get(seal).status()).isEqualTo(200);
    assertThat(get(first).status()).isEqualTo(200);
  }

  @Test
  void aBreakAnswersOnceTheHoldersWriteIsSettled() {
    Lock older = acquire("ledger");
    CompletableFuture<Answer> first = fixture.start(older, "hold");
    await().until(() -> fixture.downstream.held() == 1);
    CompletableFuture<Answer> broken =
        CompletableFuture.supplyAsync(
            () ->
                fixture
                    .carrier()
                    .post(
                        "/admin/v1/locks/break",
                        new JsonObject().put("resource", older.resource()).put("reason", "test")));
    await().until(() -> inFlight(older) == 2);
    assertThat(broken).isNotDone();
    fixture.downstream.release();
    assertThat(get(broken).status()).as(get(broken).toString()).isEqualTo(200);
    assertThat(get(first).status()).isEqualTo(200);
    assertThat(fixture.send(older, "POST", "a", "x").status()).isEqualTo(412);
  }
}

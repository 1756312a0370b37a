/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Idempotency-Keys in front of a service that knows nothing of them: each key is sent once. */
@ParameterizedClass
@EnumSource
class KeyedWritesTest {

  private static final AtomicInteger NEXT = new AtomicInteger();
  private static final String BODY = "{\"amt\":10}";

  @TempDir static Path folder;
  @Parameter Way way;
  private static ProxyFixture fixture;
  private Lock lock;
  private String key;

  @BeforeParameterizedClassInvocation
  static void start(Way way) throws IOException {
    fixture = new ProxyFixture(folder, way);
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    fixture.close();
  }

  @BeforeEach
  void fresh() {
    lock = acquire("ledger");
    key = "k-" + NEXT.incrementAndGet();
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

  private static Map<String, String> keyed(String key) {
    return Map.of("Idempotency-Key", key);
  }

  private Answer send(Lock by, String what) {
    return fixture.send(by, "POST", what, BODY, keyed(key));
  }

  private CompletableFuture<Answer> start(Lock by, String what) {
    return CompletableFuture.supplyAsync(() -> send(by, what));
  }

  private static JsonObject known(Lock lock, String key) {
    Answer answer =
        fixture.api.get(
            "/v1/writes/"
                + lock.resource()
                + "?key="
                + URLEncoder.encode(key, StandardCharsets.UTF_8));
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    return answer.json();
  }

  private static Answer close(Lock lock, String key) {
    return fixture.api.send(
        "POST", "/v1/writes/" + lock.resource() + "/close?key=" + key, "", Map.of());
  }

  private static void assertReplay(Answer replay, Answer first) {
    assertThat(replay.status()).as(replay.toString()).isEqualTo(first.status());
    assertThat(replay.body()).isEqualTo(first.body());
    for (String name : List.of("Content-Type", "Location", "ETag", "Retry-After")) {
      assertThat(replay.header(name)).as(name).isEqualTo(first.header(name));
    }
    assertThat(replay.header("Fencing-Decision")).isEqualTo("accepted");
    assertThat(replay.header("Fencing-Token")).isEqualTo(first.header("Fencing-Token"));
    assertThat(replay.header("Idempotent-Replayed")).isEqualTo("true");
    assertThat(replay.header("Set-Cookie")).isEmpty();
  }

  private static void assertUnknown(Answer answer) {
    assertThat(answer.status()).as(answer.toString()).isEqualTo(504);
    assertThat(answer.code()).isEqualTo("outcome-unknown");
    assertThat(answer.json().getString("outcome")).isEqualTo("unknown");
  }

  // ---- one key, one application

  @Test
  void aRepeatGetsTheFirstAnswerAndIsNotSent() {
    Answer first = send(lock, "created");
    assertThat(first.status()).as(first.toString()).isEqualTo(201);
    assertThat(first.header("Idempotent-Replayed")).isEmpty();
    assertThat(first.header("Set-Cookie")).isEqualTo("session=secret");
    assertThat(fixture.downstream.seen().get(0).header("Idempotency-Key")).isEqualTo(key);
    assertReplay(send(lock, "created"), first);
    assertThat(fixture.downstream.heads()).hasSize(1);
    JsonObject known = known(lock, key);
    assertThat(known.getString("outcome")).isEqualTo("applied");
    assertThat(known.getInteger("status")).isEqualTo(201);
    assertThat(known.getString("fencingToken")).isEqualTo(lock.token());
  }

  @Test
  void onlyTheVerySameRequestIsTheSame() throws IOException {
    Answer first = send(lock, "created");
    assertThat(first.status()).isEqualTo(201);
    for (String[] other :
        new String[][] {
          {"POST", "created", "{\"amt\":11}"},
          {"POST", "created", "{ \"amt\":10}"},
          {"POST", "created?x=1", BODY},
          {"PUT", "created", BODY},
          {"POST", "other", BODY}
        }) {
      Answer answer = fixture.send(lock, other[0], other[1], other[2], keyed(key));
      assertThat(answer.code()).as(String.join(" ", other)).isEqualTo("idempotency-key-reused");
      assertThat(answer.status()).isEqualTo(422);
    }
    assertReplay(fixture.send(lock, "POST", "created", BODY, keyed('"' + key + '"')), first);
    assertThat(chunked(BODY))
        .startsWith("HTTP/1.1 201")
        .containsIgnoringCase("Idempotent-Replayed: true")
        .endsWith(first.body());
    assertThat(fixture.downstream.heads()).hasSize(1);
    Lock otherResource = acquire("ledger");
    assertThat(send(otherResource, "created").header("Idempotent-Replayed")).isEmpty();
    Answer otherCase =
        fixture.send(lock, "POST", "created", BODY, keyed(key.toUpperCase(Locale.ROOT)));
    assertThat(otherCase.header("Idempotent-Replayed")).isEmpty();
    assertThat(fixture.downstream.heads()).hasSize(3);
  }

  private String chunked(String body) throws IOException {
    int half = body.length() / 2;
    return RawHttp.exchange(
        fixture.port(),
        ProxyFixture.head(lock, "POST", "created")
            + "Connection: close\r\nIdempotency-Key: "
            + key
            + "\r\nTransfer-Encoding: chunked\r\n\r\n"
            + Integer.toHexString(half)
            + "\r\n"
            + body.substring(0, half)
            + "\r\n"
            + Integer.toHexString(body.length() - half)
            + "\r\n"
            + body.substring(half)
            + "\r\n0\r\n\r\n");
  }

  @Test
  void aKeyThatIsNoneIsRefusedBeforeAnythingIsSent() throws IOException {
    for (String bad : List.of("", "a b", "x".repeat(129), "x".repeat(10_000), "\"open")) {
      assertThat(
              RawHttp.exchange(
                  fixture.port(),
                  ProxyFixture.head(lock, "POST", "created")
                      + "Connection: close\r\nIdempotency-Key: "
                      + bad
                      + "\r\nContent-Length: 1\r\n\r\nx"))
          .as(bad)
          .startsWith("HTTP/1.1 400")
          .contains("Idempotency-Key");
    }
    assertThat(
            RawHttp.exchange(
                fixture.port(),
                ProxyFixture.head(lock, "POST", "created")
                    + "Connection: close\r\nIdempotency-Key: a\r\nIdempotency-Key: a\r\n"
                    + "Content-Length: 1\r\n\r\nx"))
        .startsWith("HTTP/1.1 400");
    assertThat(fixture.send(acquire("keyed"), "POST", "created", BODY).code())
        .isEqualTo("idempotency-key-required");
    assertThat(fixture.downstream.heads()).isEmpty();
  }

  @Test
  void whoeverHoldsTheLockAKeyIsAnsweredAndTheEpochStays() {
    Lock older = lock;
    Answer first = send(older, "created");
    Lock newer = fixture.handOver(older);
    Answer bySuccessor = send(newer, "created");
    assertReplay(bySuccessor, first);
    assertThat(bySuccessor.header("Fencing-Epoch")).isEqualTo(older.token());
    assertThat(fixture.send(newer, "POST", "next", "x").status()).isEqualTo(200);
    Answer byStale = send(older, "created");
    assertReplay(byStale, first);
    assertThat(byStale.header("Fencing-Epoch")).isEqualTo(newer.token());
    Answer fresh = fixture.send(older, "POST", "created", BODY, keyed(key + "-fresh"));
    assertThat(fresh.code()).isEqualTo("stale-token");
    assertThat(known(older, key + "-fresh").getString("outcome")).isEqualTo("none");
    assertThat(fixture.downstream.heads()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {204, 303, 307, 404, 409, 422})
  void whateverSettlesIsReplayed(int status) {
    Answer first = send(lock, "status-" + status);
    assertThat(first.status()).isEqualTo(status);
    assertReplay(send(lock, "status-" + status), first);
    assertThat(fixture.downstream.heads()).hasSize(1);
    assertThat(known(lock, key).getString("outcome"))
        .isEqualTo(status < 400 ? "applied" : "rejected");
  }

  @Test
  void anAnswerThatIsTooLargeToBeKeptPassesWholeAndItsReplaySaysThatItHasNoBody() {
    Answer first = send(lock, "big");
    assertThat(first.body()).hasSize(10 * 1024 * 1024);
    Answer replay = send(lock, "big");
    assertThat(replay.status()).isEqualTo(200);
    assertThat(replay.header("Idempotent-Replayed")).isEqualTo("true");
    assertThat(replay.header("Fencing-Replayed-Body")).isEqualTo("not-kept");
    assertThat(replay.body()).isEmpty();
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  @Test
  void bodiesThatAKeyCannotStandForAreRefused() throws IOException {
    String large = "x".repeat(1024 * 1024 + 1);
    assertThat(fixture.send(lock, "POST", "created", large, keyed(key)).code())
        .isEqualTo("body-too-large");
    assertThat(
            RawHttp.exchange(
                fixture.port(),
                ProxyFixture.head(acquire("closed"), "POST", "created")
                    + "Connection: close\r\nIdempotency-Key: k\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "500\r\n"
                    + "x".repeat(0x500)
                    + "\r\n0\r\n\r\n"))
        .startsWith("HTTP/1.1 413");
    String most = "x".repeat(1024 * 1024);
    assertThat(fixture.send(lock, "POST", "created", most, keyed(key)).status()).isEqualTo(201);
    assertThat(fixture.downstream.seen().get(0).body())
        .isEqualTo(
            java.util.HexFormat.of()
                .formatHex(HttpDownstream.sha256().digest(most.getBytes(StandardCharsets.UTF_8))));
    assertThat(fixture.send(lock, "DELETE", "created", "", keyed(key + "-empty")).status())
        .isEqualTo(201);
    assertThat(fixture.downstream.seen().get(1).header("content-length")).isEqualTo("0");
  }

  // ---- nobody knows

  /** What the caller sees, and what a status of the downstream that settles nothing leaves. */
  @ParameterizedTest
  @CsvSource({
    "status-202, 202",
    "status-408, 408",
    "status-429, 429",
    "status-500, 500",
    "status-503, 503",
    "cut, 504",
    "never, 504"
  })
  void whatMayHaveBeenAppliedIsUnknownAndNeverSentAgain(String what, int status) {
    Lock holder = acquire("keyed");
    assertThat(fixture.send(holder, "POST", what, BODY, keyed(key)).status()).isEqualTo(status);
    for (int i = 0; i < 3; i++) {
      assertUnknown(fixture.send(holder, "POST", what, BODY, keyed(key)));
    }
    assertThat(fixture.send(holder, "POST", what, "other", keyed(key)).code())
        .isEqualTo("idempotency-key-reused");
    assertThat(fixture.downstream.heads()).hasSize(1);
    assertThat(known(holder, key).getString("outcome")).isEqualTo("unknown");
    assertThat(known(holder, key).getString("fencingToken")).isEqualTo(holder.token());
    assertThat(close(holder, key).json().getString("outcome")).isEqualTo("unknown");
  }

  @Test
  void anAnswerThatBreaksOffIsUnknown() {
    assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> send(lock, "half")))
        .isInstanceOf(java.io.UncheckedIOException.class);
    await().until(() -> known(lock, key).getString("outcome").equals("unknown"));
    assertUnknown(send(lock, "half"));
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  @Test
  void aResetBeforeTheAnswerIsUnknown() {
    Lock holder = acquire("wire");
    fixture.wire.cutOnceSent("lost-reply");
    assertUnknown(fixture.send(holder, "POST", "lost-reply", BODY, keyed(key)));
    fixture.wire.pass();
    assertUnknown(fixture.send(holder, "POST", "lost-reply", BODY, keyed(key)));
    assertThat(fixture.downstream.heads()).hasSizeLessThanOrEqualTo(1);
  }

  @Test
  void whereNothingWasSentTheKeyIsFree() {
    Lock holder = acquire("gone");
    for (int i = 0; i < 3; i++) {
      Answer answer = fixture.send(holder, "POST", "a", BODY, keyed(key));
      assertThat(answer.code()).as(answer.toString()).isEqualTo("upstream-unreachable");
      assertThat(known(holder, key).getString("outcome")).isEqualTo("none");
    }
    assertThat(fixture.send(holder, "POST", "a", "other", keyed(key)).code())
        .isEqualTo("upstream-unreachable");
  }

  // ---- callers that do not wait

  @ParameterizedTest
  @ValueSource(strings = {"close", "reset", "half-close"})
  void aCallerThatHangsUpFindsTheAnswerLater(String how) throws IOException {
    RawHttp raw = new RawHttp(fixture.port());
    raw.send(
        ProxyFixture.head(lock, "POST", "hold")
            + "Idempotency-Key: "
            + key
            + "\r\nContent-Length: "
            + BODY.length()
            + "\r\n\r\n"
            + BODY);
    await().until(() -> fixture.downstream.held() == 1);
    switch (how) {
      case "reset" -> raw.reset();
      case "half-close" -> raw.endSending();
      default -> raw.close();
    }
    Answer early = send(lock, "hold");
    assertThat(early.code()).as(early.toString()).isEqualTo("in-flight");
    assertThat(early.json().getBoolean("retryable")).isTrue();
    assertThat(known(lock, key).getString("outcome")).isEqualTo("in-flight");
    assertThat(close(lock, key).json().getString("outcome")).isEqualTo("in-flight");
    fixture.downstream.release();
    await().until(() -> send(lock, "hold").status() == 200);
    Answer replay = send(lock, "hold");
    assertThat(replay.body()).isEqualTo("released");
    assertThat(replay.header("Idempotent-Replayed")).isEqualTo("true");
    assertThat(fixture.downstream.heads()).hasSize(1);
    raw.close();
  }

  @Test
  void aStreamThatIsResetFindsTheAnswerLater() {
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + fixture.port() + "/" + lock.resource() + "/hold"))
            .header("Fencing-Token", lock.token())
            .header("Fencing-Lease", lock.leaseId())
            .header("Idempotency-Key", key)
            .POST(HttpRequest.BodyPublishers.ofString(BODY))
            .build();
    CompletableFuture<HttpResponse<String>> answer =
        http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    await().until(() -> fixture.downstream.held() == 1);
    assertThat(answer.cancel(true)).isTrue();
    assertThat(send(lock, "hold").code()).isEqualTo("in-flight");
    fixture.downstream.release();
    await().until(() -> send(lock, "hold").status() == 200);
    assertThat(send(lock, "hold").header("Idempotent-Replayed")).isEqualTo("true");
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  @Test
  void aCallerThatHangsUpInTheMiddleOfALargeAnswerLeavesItRecorded() throws IOException {
    RawHttp raw = new RawHttp(fixture.port());
    raw.send(
        ProxyFixture.head(lock, "POST", "big")
            + "Idempotency-Key: "
            + key
            + "\r\nContent-Length: "
            + BODY.length()
            + "\r\n\r\n"
            + BODY);
    assertThat(raw.head()).startsWith("HTTP/1.1 200");
    raw.reset();
    await().until(() -> known(lock, key).getString("outcome").equals("applied"));
    assertThat(send(lock, "big").header("Fencing-Replayed-Body")).isEqualTo("not-kept");
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  @Test
  void aStaleCallerIsNotToldToGoOnAndOneWhoseKeyIsKnownIs() throws IOException {
    Answer first = send(lock, "created");
    Lock older = lock;
    Lock newer = fixture.handOver(lock);
    assertThat(fixture.send(newer, "POST", "next", "x").status()).isEqualTo(200);
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(waiting(older, key + "-fresh"));
      assertThat(raw.head()).startsWith("HTTP/1.1 412").contains("stale-token");
    }
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(waiting(older, key));
      assertThat(raw.head()).startsWith("HTTP/1.1 100");
      raw.send(BODY);
      assertThat(raw.head())
          .startsWith("HTTP/1.1 201")
          .containsIgnoringCase("ETag: " + first.header("ETag"));
    }
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(waiting(newer, key + "-fresh"));
      assertThat(raw.head()).startsWith("HTTP/1.1 100");
      raw.send(BODY);
      assertThat(raw.head()).startsWith("HTTP/1.1 201").doesNotContain("Replayed");
    }
    assertThat(fixture.downstream.heads()).hasSize(3);
  }

  private static String waiting(Lock lock, String key) {
    return ProxyFixture.head(lock, "POST", "created")
        + "Expect: 100-continue\r\nIdempotency-Key: "
        + key
        + "\r\nContent-Length: "
        + BODY.length()
        + "\r\n\r\n";
  }

  // ---- doors

  @Test
  void aClosedDoorKeepsTheWriteOut() {
    assertThat(known(lock, key).getString("outcome")).isEqualTo("none");
    assertThat(close(lock, key).json().getString("outcome")).isEqualTo("rejected");
    assertThat(send(lock, "created").code()).isEqualTo("idempotency-key-reused");
    assertThat(known(lock, key).getString("outcome")).isEqualTo("rejected");
    assertThat(fixture.downstream.heads()).isEmpty();
    String used = key + "-used";
    fixture.send(lock, "POST", "created", BODY, keyed(used));
    assertThat(close(lock, used).json().getString("outcome")).isEqualTo("applied");
  }

  // ---- together with the order of tokens

  @Test
  void aKeyedWriteThatIsOvertakenWhileItWaitsForAConnectionIsNotSentAndItsKeyIsFree() {
    Lock busy = acquire("ledger");
    List<CompletableFuture<Answer>> occupying = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      occupying.add(fixture.start(busy, "hold"));
    }
    await().until(() -> fixture.downstream.held() == 4);
    Lock older = lock;
    CompletableFuture<Answer> late = start(older, "late");
    await().until(() -> known(older, key).getString("outcome").equals("in-flight"));
    Lock newer = fixture.handOver(older);
    CompletableFuture<Answer> next = fixture.start(newer, "next");
    await()
        .until(
            () ->
                fixture
                    .carrier()
                    .get("/admin/v1/resources/" + older.resource())
                    .json()
                    .getInteger("inFlight")
                    .equals(2));
    fixture.downstream.release();
    assertThat(late.orTimeout(20, TimeUnit.SECONDS).join().code()).isEqualTo("stale-token");
    assertThat(next.orTimeout(20, TimeUnit.SECONDS).join().status()).isEqualTo(200);
    occupying.forEach(it -> it.orTimeout(20, TimeUnit.SECONDS).join());
    await()
        .atMost(Duration.ofSeconds(5))
        .until(() -> known(older, key).getString("outcome").equals("none"));
    assertThat(send(newer, "late").status()).isEqualTo(200);
    assertThat(fixture.downstream.heads().stream().filter(it -> it.endsWith("late"))).hasSize(1);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencegate.coordination.slot.Whereabouts;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.Promise;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Bodies on their way through two gateways, and what is known where the wire between them breaks.
 */
class RelayedBodiesTest {

  private static final int MEBI = 1024 * 1024;

  @TempDir Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private RelayFixture fixture;
  private Lock lock;

  @BeforeEach
  void start() throws IOException {
    fixture = new RelayFixture(folder);
    lock = fixture.api.acquire(fixture.fresh(1, "ledger"));
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private CompletableFuture<HttpResponse<byte[]>> post(
      HttpClient.Version version, String what, BodyPublisher body) {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(
                    "http://127.0.0.1:" + fixture.port() + "/" + lock.resource() + "/" + what))
            .version(version)
            .timeout(Duration.ofSeconds(20))
            .header("Fencing-Token", lock.token())
            .header("Fencing-Lease", lock.leaseId())
            .POST(body)
            .build();
    return http.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
  }

  private HttpResponse<byte[]> posted(String what, BodyPublisher body) {
    return post(HttpClient.Version.HTTP_1_1, what, body).orTimeout(20, TimeUnit.SECONDS).join();
  }

  private static String text(HttpResponse<byte[]> answer) {
    return answer.statusCode() == 200
        ? new String(answer.body(), StandardCharsets.US_ASCII)
        : "status " + answer.statusCode();
  }

  private static byte[] bytes(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  private static String sha256(byte[] bytes) {
    return HexFormat.of().formatHex(HttpDownstream.sha256().digest(bytes));
  }

  private void assertUnknown(Answer answer) {
    assertThat(answer.status()).as(answer.toString()).isEqualTo(504);
    assertThat(answer.code()).isEqualTo("outcome-unknown");
    assertThat(answer.json().getString("outcome")).isEqualTo("unknown");
    assertThat(answer.json().getBoolean("retryable")).isFalse();
    assertThat(answer.header("Fencing-Decision")).isEqualTo("unknown;reason=\"outcome-unknown\"");
    assertThat(answer.header("Fencing-Token")).isEqualTo(lock.token());
  }

  @Test
  void anAnswerThatIsCutOffIsCutOffForTheCallerToo() throws IOException {
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(ProxyFixture.head(lock, "POST", "half") + "Content-Length: 1\r\n\r\nx");
      assertThat(raw.rest())
          .startsWith("HTTP/1.1 200")
          .contains("half")
          .doesNotEndWith("0\r\n\r\n");
    }
  }

  @Test
  void aCallerIsNotToldToGoOnWhereNobodyTakesItsWrite() throws IOException {
    fixture.second.say(fixture.atFirst());
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(
          ProxyFixture.head(lock, "POST", "a")
              + "Expect: 100-continue\r\nContent-Length: 5000000\r\n\r\n");
      assertThat(raw.head()).startsWith("HTTP/1.1 503").contains("handover");
    }
    assertThat(fixture.downstream.heads()).isEmpty();
  }

  @Test
  void aWriteThatTheOldOwnerDeclinesIsCarriedOutWholeByThisGatewayIfItIsTheNewOne() {
    byte[] body = bytes(5 * MEBI);
    lock = fixture.api.acquire(fixture.fresh(0, "ledger"));
    fixture.first.say(fixture.atSecond(), new Whereabouts.Here());
    fixture.second.say(fixture.atFirst());
    assertThat(text(posted("a", BodyPublishers.ofByteArray(body)))).isEqualTo(sha256(body));
    assertThat(fixture.second.asked()).isEqualTo(1);
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  @Test
  void aWriteThatTheOldOwnerDeclinesGoesWholeToTheNewOne() {
    byte[] body = bytes(5 * MEBI);
    fixture.second.say(new Whereabouts.Nowhere("moving"), new Whereabouts.Here());
    assertThat(
            text(posted("a", BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)))))
        .isEqualTo(sha256(body));
    assertThat(fixture.second.asked()).isEqualTo(2);
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  @Test
  void aWriteGoesToTheNewOwnerWhereTheOldOneDrains() {
    lock = fixture.api.acquire(fixture.fresh(0, "ledger"));
    Lock other = fixture.api.acquire(fixture.fresh(1, "ledger"));
    CompletableFuture<Answer> held =
        CompletableFuture.supplyAsync(() -> fixture.send(other, "POST", "hold", "x"));
    await().until(() -> fixture.downstream.held() == 1);
    CompletableFuture<Void> stopping = CompletableFuture.runAsync(() -> fixture.gateways.stop(1));
    await().until(() -> fixture.gateways.operator(1).get("/readyz").status() != 200);
    fixture.first.say(fixture.atSecond(), new Whereabouts.Here());
    assertThat(fixture.send(lock, "POST", "a", "x").status()).isEqualTo(200);
    assertThat(fixture.first.asked()).isEqualTo(2);
    fixture.downstream.release();
    assertThat(held.orTimeout(20, TimeUnit.SECONDS).join().status()).isEqualTo(200);
    stopping.orTimeout(30, TimeUnit.SECONDS).join();
  }

  @Test
  void aWireThatBreaksBeforeTheBodyWasAskedForCostsNothing() {
    fixture.first.say(fixture.atSecondByWire());
    fixture.wire.cutOnceSent("POST /");
    assertThat(fixture.send(lock, "POST", "a", "x").status()).isEqualTo(200);
    assertThat(fixture.wire.hasStruck()).isTrue();
    assertThat(fixture.first.asked()).isEqualTo(2);
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  @Test
  void anOwnerThatDiesWithTheWriteLeavesItUnknownAndItIsNotSentAgain() {
    fixture.first.say(fixture.atSecondByWire());
    fixture.wire.cutOnceSent("the body");
    assertUnknown(fixture.send(lock, "POST", "a", "the body"));
    assertThat(fixture.wire.hasStruck()).isTrue();
    fixture.wire.cutOnceSent("DELETE /");
    assertUnknown(fixture.send(lock, "DELETE", "a", ""));
    assertThat(fixture.wire.hasStruck()).isTrue();
    assertThat(fixture.first.asked()).isEqualTo(2);
    assertThat(fixture.downstream.heads()).isEmpty();
  }

  @Test
  void anAnswerThatIsLostLeavesTheWriteUnknownAndItIsNotSentAgain() {
    fixture.first.say(fixture.atSecondByWire());
    fixture.wire.swallowRepliesOnceSent("the body");
    CompletableFuture<Answer> answer =
        CompletableFuture.supplyAsync(() -> fixture.send(lock, "POST", "a", "the body"));
    await().until(() -> fixture.downstream.seen().size() == 1);
    fixture.wire.reset();
    assertUnknown(answer.orTimeout(20, TimeUnit.SECONDS).join());
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  @Test
  void aCallerThatHangsUpBeforeAnythingWasSentSendsNothing() throws IOException {
    Promise<Whereabouts> later = fixture.first.sayLater();
    RawHttp raw = new RawHttp(fixture.port());
    raw.send(ProxyFixture.head(lock, "POST", "a") + "Content-Length: 2\r\n\r\nhi");
    await().until(() -> fixture.first.asked() == 1);
    raw.reset();
    // A request that comes after the hang-up has been noticed, and is answered.
    fixture.api.get("/" + lock.resource() + "/read");
    later.complete(fixture.atSecond());
    fixture.first.say(fixture.atSecond());
    assertThat(fixture.send(lock, "POST", "next", "x").status()).isEqualTo(200);
    assertThat(fixture.downstream.heads())
        .containsExactly("GET /" + lock.resource() + "/read", "POST /" + lock.resource() + "/next");
  }

  @Test
  void callersThatHangUpLeaveNoConnectionBehind() throws IOException {
    fixture.first.say(fixture.atSecondByWire());
    for (int i = 0; i < 40; i++) {
      RawHttp midBody = new RawHttp(fixture.port());
      midBody.send(ProxyFixture.head(lock, "POST", "a") + "Content-Length: 100\r\n\r\nhalf");
      int before = i;
      await().until(() -> fixture.downstream.heads().size() > before);
      midBody.reset();
    }
    for (int i = 0; i < 6; i++) {
      RawHttp reader = new RawHttp(fixture.port());
      reader.send(ProxyFixture.head(lock, "POST", "big") + "Content-Length: 1\r\n\r\nx");
      assertThat(reader.head()).startsWith("HTTP/1.1 200");
      reader.reset();
    }
    await().atMost(Duration.ofSeconds(20)).until(() -> fixture.wire.open() == 0);
    for (int i = 0; i < 20; i++) {
      assertThat(fixture.send(lock, "POST", "a", "x").status()).isEqualTo(200);
    }
    assertThat(fixture.wire.open()).isEqualTo(1);
  }
}

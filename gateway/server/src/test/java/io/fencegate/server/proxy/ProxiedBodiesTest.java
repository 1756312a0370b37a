/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Bodies that are streamed, callers that hang up, and callers that wait to be told to go on. */
@ParameterizedClass
@EnumSource
class ProxiedBodiesTest {

  private static final int MEBI = 1024 * 1024;

  @Parameter Way way;
  @TempDir Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private ProxyFixture fixture;
  private Lock lock;

  @BeforeEach
  void start() throws IOException {
    fixture = new ProxyFixture(folder, way);
    lock = fixture.api.acquire(fixture.fresh("ledger"));
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

  private static byte[] bytes(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  private static String sha256(byte[] bytes) {
    return HexFormat.of().formatHex(HttpDownstream.sha256().digest(bytes));
  }

  @Test
  void everyBodyArrivesOnceAndByteForByteHoweverItIsFramed() {
    List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (HttpClient.Version version : HttpClient.Version.values()) {
      for (int size : new int[] {0, 1, 64 * 1024, 5 * MEBI}) {
        byte[] body = bytes(size);
        answers.add(post(version, "a", BodyPublishers.ofByteArray(body)));
        answers.add(
            post(version, "a", BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body))));
        expected.add(sha256(body));
        expected.add(sha256(body));
      }
      // No more at once than the pool and its queue hold.
      answers.forEach(it -> it.orTimeout(20, TimeUnit.SECONDS).join());
    }
    List<String> got =
        answers.stream()
            .map(it -> it.orTimeout(20, TimeUnit.SECONDS).join())
            .map(
                it ->
                    it.statusCode() == 200
                        ? new String(it.body(), java.nio.charset.StandardCharsets.US_ASCII)
                        : "status " + it.statusCode())
            .toList();
    assertThat(got).isEqualTo(expected);
    assertThat(fixture.downstream.heads()).hasSize(expected.size());
  }

  @Test
  void aBodyThatTheDownstreamDoesNotTakeIsNotTakenFromItsCallerEither() throws IOException {
    AtomicLong sent = new AtomicLong();
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(
          ProxyFixture.head(lock, "POST", "stall") + "Content-Length: " + 60 * MEBI + "\r\n\r\n");
      CompletableFuture<Void> upload =
          CompletableFuture.runAsync(() -> pour(raw, bytes(MEBI / 16), 60 * 16, sent));
      await().until(() -> fixture.downstream.heads().size() == 1);
      assertThat(raw.head()).startsWith("HTTP/1.1 504");
      assertThat(sent.get()).isLessThan(30L * MEBI);
      upload.exceptionally(broken -> null).orTimeout(20, TimeUnit.SECONDS).join();
    }
  }

  private static void pour(RawHttp raw, byte[] piece, int times, AtomicLong sent) {
    try {
      for (int i = 0; i < times; i++) {
        raw.send(piece);
        sent.addAndGet(piece.length);
      }
    } catch (IOException closed) {
      throw new java.io.UncheckedIOException(closed);
    }
  }

  @Test
  void aCallerIsToldToGoOnOnceItsWriteHasBeenLetIn() throws IOException {
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(
          ProxyFixture.head(lock, "POST", "a")
              + "Connection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
      assertThat(raw.head()).startsWith("HTTP/1.1 100");
      assertThat(fixture.downstream.heads()).isEmpty();
      raw.send("hi");
      assertThat(raw.rest()).startsWith("HTTP/1.1 200").doesNotContain("HTTP/1.1 100");
    }
    assertThat(fixture.downstream.seen().get(0).header("expect")).isEmpty();
  }

  @Test
  void aStaleCallerIsNotToldToGoOn() throws IOException {
    Lock newer = fixture.handOver(lock);
    assertThat(fixture.send(newer, "POST", "a", "x").status()).isEqualTo(200);
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(
          ProxyFixture.head(lock, "POST", "a")
              + "Expect: 100-continue\r\nContent-Length: 5000000\r\n\r\n");
      assertThat(raw.head()).startsWith("HTTP/1.1 412");
    }
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(ProxyFixture.head(lock, "POST", "a") + "Content-Length: " + 50 * MEBI + "\r\n\r\n");
      CompletableFuture<Void> upload =
          CompletableFuture.runAsync(() -> pour(raw, bytes(MEBI), 50, new AtomicLong()));
      assertThat(raw.head()).startsWith("HTTP/1.1 412");
      upload.exceptionally(broken -> null).orTimeout(20, TimeUnit.SECONDS).join();
    }
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  @Test
  void aCallerThatNeverSendsItsBodySendsNothingDownstream() throws IOException {
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(
          ProxyFixture.head(lock, "POST", "a")
              + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
      assertThat(raw.head()).startsWith("HTTP/1.1 100");
      assertThat(raw.head()).startsWith("HTTP/1.1 408").contains("rejected");
    }
    assertThat(fixture.downstream.heads()).isEmpty();
    assertThat(fixture.send(fixture.handOver(lock), "POST", "a", "x").status()).isEqualTo(200);
  }

  @Test
  void anAnswerThatComesBeforeTheWholeBodyReachesTheCallerAndSettlesNothing() throws IOException {
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(
          ProxyFixture.head(lock, "POST", "early") + "Content-Length: " + 50 * MEBI + "\r\n\r\n");
      CompletableFuture<Void> upload =
          CompletableFuture.runAsync(() -> pour(raw, bytes(MEBI), 50, new AtomicLong()));
      assertThat(raw.head()).startsWith("HTTP/1.1 413").contains("Fencing-Decision: accepted");
      upload.exceptionally(broken -> null).orTimeout(20, TimeUnit.SECONDS).join();
    }
    assertThat(fixture.send(fixture.handOver(lock), "POST", "a", "x").code())
        .isEqualTo("predecessor-unresolved");
  }

  @Test
  void aWriteWhoseCallerHungUpIsFollowedToItsEnd() throws IOException {
    RawHttp raw = new RawHttp(fixture.port());
    raw.send(ProxyFixture.head(lock, "POST", "hold") + "Content-Length: 2\r\n\r\nhi");
    await().until(() -> fixture.downstream.held() == 1);
    raw.reset();
    Lock newer = fixture.handOver(lock);
    CompletableFuture<Answer> next = fixture.start(newer, "next");
    await().until(() -> fixture.downstream.held() == 1);
    assertThat(fixture.downstream.heads()).hasSize(1);
    fixture.downstream.release();
    assertThat(next.orTimeout(20, TimeUnit.SECONDS).join().status()).isEqualTo(200);
  }

  @Test
  void thePoolSurvivesCallersThatHangUp() throws IOException {
    for (int i = 0; i < 40; i++) {
      RawHttp midBody = new RawHttp(fixture.port());
      midBody.send(ProxyFixture.head(lock, "POST", "a") + "Content-Length: 100\r\n\r\nhalf");
      int before = i;
      await().until(() -> fixture.downstream.heads().size() > before);
      midBody.reset();
    }
    for (int i = 0; i < 6; i++) {
      RawHttp reader = new RawHttp(fixture.port());
      reader.send("GET /" + lock.resource() + "/big HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(reader.head()).startsWith("HTTP/1.1 200");
      reader.reset();
    }
    for (int i = 0; i < 20; i++) {
      assertThat(fixture.send(lock, "POST", "a", "x").status()).isEqualTo(200);
    }
  }

  @Test
  void aCallerThatStopsReadingCostsItsAnswerAndNothingElse() throws IOException {
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(ProxyFixture.head(lock, "POST", "big") + "Content-Length: 1\r\n\r\nx");
      assertThat(raw.head()).startsWith("HTTP/1.1 200");
      Lock newer = fixture.handOver(lock);
      assertThat(fixture.send(newer, "POST", "next", "x").status()).isEqualTo(200);
    }
  }

  @Test
  void largeAnswersArriveWhole() {
    HttpResponse<byte[]> answer =
        post(HttpClient.Version.HTTP_1_1, "big", BodyPublishers.ofString("x"))
            .orTimeout(20, TimeUnit.SECONDS)
            .join();
    assertThat(answer.body()).hasSize(10 * MEBI);
  }

  @Test
  void moreRequestsThanConnectionsAndPlacesAreRefusedAtOnce() {
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      answers.add(fixture.start(lock, "hold"));
    }
    await().until(() -> answers.stream().filter(CompletableFuture::isDone).count() >= 8);
    fixture.downstream.release();
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              fixture.downstream.release();
              return answers.stream().allMatch(CompletableFuture::isDone);
            });
    assertThat(answers.stream().map(CompletableFuture::join))
        .allMatch(it -> it.status() == 200 || it.code().equals("downstream-busy"))
        .filteredOn(it -> it.status() == 200)
        .hasSizeBetween(8, 12)
        .hasSameSizeAs(fixture.downstream.heads());
  }

  @Test
  void aStoppingGatewayGivesWritesInFlightTheirAnswers() throws IOException {
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(ProxyFixture.head(lock, "POST", "hold") + "Content-Length: 1\r\n\r\nx");
      await().until(() -> fixture.downstream.held() == 1);
      try (RawHttp idle = new RawHttp(fixture.port())) {
        idle.send("GET /" + lock.resource() + "/a HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(idle.head()).startsWith("HTTP/1.1 200");
        CompletableFuture<Void> stopping =
            CompletableFuture.runAsync(() -> fixture.gateways.stop(way.carrier()));
        await()
            .until(
                () -> {
                  Answer ready = fixture.carrier().get("/readyz");
                  return ready.status() != 200;
                });
        fixture.downstream.release();
        if (way.gateways == 1) {
          assertThat(raw.rest())
              .startsWith("HTTP/1.1 200")
              .containsIgnoringCase("connection: close")
              .contains("released");
        } else {
          // The gateway that the caller talks to goes on.
          assertThat(raw.head()).startsWith("HTTP/1.1 200").doesNotContain("close");
        }
        stopping.orTimeout(20, TimeUnit.SECONDS).join();
      }
    }
  }
}

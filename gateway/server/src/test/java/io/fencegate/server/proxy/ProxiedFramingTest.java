/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
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

/** Requests that come in pieces, in one piece with others, or as streams of one connection. */
@ParameterizedClass
@EnumSource
class ProxiedFramingTest {

  @TempDir static Path folder;
  @Parameter Way way;
  private static ProxyFixture fixture;
  private final Vertx vertx = Vertx.vertx();
  private Lock lock;
  private HttpClient http2;

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
    lock = fixture.api.acquire(fixture.fresh("ledger"));
    fixture.downstream.forget();
    http2 =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false));
  }

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }

  private HttpClientRequest stream(String what) {
    return http2
        .request(
            new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setHost("127.0.0.1")
                .setPort(fixture.port())
                .setURI("/" + lock.resource() + "/" + what)
                .putHeader("Fencing-Token", lock.token())
                .putHeader("Fencing-Lease", lock.leaseId()))
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(10, TimeUnit.SECONDS)
        .join();
  }

  @Test
  void twoRequestsInOneSegmentAreAnsweredInTheirOrder() throws IOException {
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(
          ProxyFixture.head(lock, "POST", "status-201")
              + "Content-Length: 1\r\n\r\nx"
              + ProxyFixture.head(lock, "POST", "status-202")
              + "Connection: close\r\nContent-Length: 1\r\n\r\ny");
      assertThat(raw.rest()).containsSubsequence("HTTP/1.1 201", "HTTP/1.1 202");
    }
    assertThat(fixture.downstream.heads())
        .containsExactly(
            "POST /" + lock.resource() + "/status-201", "POST /" + lock.resource() + "/status-202");
  }

  @Test
  void aBodyThatComesByteByByteArrivesWhole() throws IOException {
    byte[] body = "a body in many pieces".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(
          ProxyFixture.head(lock, "POST", "a")
              + "Connection: close\r\nContent-Length: "
              + body.length
              + "\r\n\r\n");
      for (byte one : body) {
        raw.send(new byte[] {one});
      }
      assertThat(raw.rest())
          .startsWith("HTTP/1.1 200")
          .endsWith(HexFormat.of().formatHex(HttpDownstream.sha256().digest(body)));
    }
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  @Test
  void whatTheDownstreamSaysBeforeItsAnswerDoesNotStandInItsWay() throws IOException {
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(
          ProxyFixture.head(lock, "POST", "hints")
              + "Connection: close\r\nContent-Length: 1\r\n\r\nx");
      assertThat(raw.rest()).contains("HTTP/1.1 201").endsWith("after hints");
    }
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  /** More is announced than comes, and less. */
  @ParameterizedTest
  @ValueSource(strings = {"3", "8"})
  void aStreamWhoseLengthIsNotItsBodysIsNoWholeRequestToAnybody(String announced) {
    HttpClientRequest request = stream("a");
    request.putHeader("content-length", announced).write(Buffer.buffer("five!"));
    request.end();
    Integer status =
        request
            .response()
            .map(answer -> answer.statusCode())
            .otherwise(0)
            .toCompletionStage()
            .toCompletableFuture()
            .orTimeout(20, TimeUnit.SECONDS)
            .join();
    assertThat(status).isNotEqualTo(200);
    assertThat(fixture.downstream.seen()).isEmpty();
  }

  @Test
  void thePoolSurvivesStreamsThatAreReset() {
    for (int i = 0; i < 40; i++) {
      HttpClientRequest request = stream("a");
      request.exceptionHandler(reset -> {});
      request.putHeader("content-length", "100").write(Buffer.buffer("half"));
      int before = i;
      await().until(() -> fixture.downstream.heads().size() > before);
      request.reset(8);
    }
    for (int i = 0; i < 20; i++) {
      assertThat(fixture.send(lock, "POST", "a", "x").status()).isEqualTo(200);
    }
    assertThat(fixture.downstream.seen()).hasSize(20);
  }
}

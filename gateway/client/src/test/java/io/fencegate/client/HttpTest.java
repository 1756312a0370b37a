/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.token.FencingToken;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The SDK over real sockets, against a stand-in that speaks the gateway's contract. */
class HttpTest {

  /** The SDK's own patience is 20 s: a setting that were ignored would show. */
  private static final Duration WELL_BELOW_DEFAULTS = Duration.ofSeconds(10);

  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final CountDownLatch end = new CountDownLatch(1);
  private ExecutorService threads;
  private HttpServer server;
  private FencegateClient client;
  private int lostAcquires;

  @BeforeEach
  void start() throws IOException {
    threads = Executors.newCachedThreadPool();
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/v1/locks/acquire", this::acquire);
    server.createContext(
        "/v1/locks/release", exchange -> answer(exchange, 200, "{\"released\":true}"));
    server.createContext("/v1/write/ok", this::applied);
    server.createContext("/v1/write/stale", this::stale);
    server.createContext("/v1/write/silent", exchange -> awaitEnd());
    server.createContext("/v1/write/lost", this::lost);
    server.createContext("/v1/write/stalls", this::stallsInTheBody);
    server.start();
    client =
        toTheStandIn()
            .requestTimeout(Duration.ofSeconds(1))
            .authorization(() -> "Bearer topsecret")
            .build();
  }

  @AfterEach
  void stop() {
    end.countDown();
    client.close();
    server.stop(0);
    threads.shutdownNow();
  }

  private FencegateClient.Builder toTheStandIn() {
    return FencegateClient.builder()
        .endpoint(URI.create("http://127.0.0.1:" + server.getAddress().getPort()));
  }

  private void awaitEnd() {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void acquire(HttpExchange exchange) throws IOException {
    requests.add(body(exchange));
    if (lostAcquires-- > 0) {
      exchange.close();
      return;
    }
    answer(
        exchange,
        200,
        "{\"resource\":\"r\",\"leaseId\":\"c2VjcmV0LXNlY3JldC1zZQ\",\"fencingToken\":\"42\","
            + "\"leaseTtlMs\":30000,\"remainingMs\":30000,\"expiresAt\":\"x\",\"holder\":\"w\"}");
  }

  private void applied(HttpExchange exchange) throws IOException {
    requests.add(exchange.getRequestHeaders().getFirst("Fencing-Token"));
    requests.add(exchange.getRequestHeaders().getFirst("Fencing-Lease"));
    requests.add(exchange.getRequestHeaders().getFirst("Idempotency-Key"));
    requests.add(exchange.getRequestHeaders().getFirst("Authorization"));
    requests.add(body(exchange));
    exchange.getResponseHeaders().add("Idempotent-Replayed", "true");
    answer(exchange, 200, "{\"epoch\":\"42\",\"outcome\":\"applied\",\"results\":[{\"n\":1.50}]}");
  }

  private void stale(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().add("Content-Type", "application/problem+json");
    answer(
        exchange,
        412,
        "{\"type\":\"urn:fencegate:problem:stale-token\",\"title\":\"t\",\"status\":412,"
            + "\"detail\":\"token 42 was given\",\"code\":\"stale-token\",\"resource\":\"stale\","
            + "\"retryable\":false,\"outcome\":\"rejected\",\"fencingToken\":\"42\",\"epoch\":43,"
            + "\"retryAfterMs\":7}");
  }

  private void lost(HttpExchange exchange) throws IOException {
    requests.add(body(exchange));
    exchange.close();
  }

  private void stallsInTheBody(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 100);
    exchange.getResponseBody().write('{');
    exchange.getResponseBody().flush();
    awaitEnd();
  }

  private static String body(HttpExchange exchange) throws IOException {
    return new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private HeldLock lock(String resource) {
    return lock(client, resource);
  }

  private static HeldLock lock(FencegateClient by, String resource) {
    return by.acquire(AcquireRequest.of(resource))
        .fold(
            held -> held,
            problem -> {
              throw new AssertionError(problem);
            });
  }

  @Test
  void aWriteCarriesItsProofAndItsExactValues() {
    HeldLock lock = lock("ok");
    requests.clear();

    Operation operation =
        Operation.of("post-entry")
            .param("account", "17")
            .param("amount", new BigDecimal("0.10"))
            .param("large", Long.MAX_VALUE)
            .param("small", 7)
            .param("flag", true)
            .paramNull("none")
            .paramJson("raw", "{\"a\":[1.00]}");
    WriteResult result = lock.write(Write.of(operation).withIdempotencyKey("p-1"));

    assertThat(result)
        .isEqualTo(new WriteResult.Applied(new FencingToken(42), "[{\"n\":1.50}]", true));
    assertThat(requests)
        .containsExactly(
            "42",
            "c2VjcmV0LXNlY3JldC1zZQ",
            "p-1",
            "Bearer topsecret",
            "{\"operation\":\"post-entry\",\"params\":{\"account\":\"17\",\"amount\":0.10,"
                + "\"large\":9223372036854775807,\"small\":7,\"flag\":true,\"none\":null,"
                + "\"raw\":{\"a\":[1.00]}}}");
  }

  @Test
  void severalOperationsTravelTogether() {
    HeldLock lock = lock("ok");
    lock.write(Write.of(Operation.of("a"), Operation.of("b").param("x", "1")));
    assertThat(requests)
        .last()
        .isEqualTo(
            "{\"operations\":[{\"operation\":\"a\",\"params\":{}},"
                + "{\"operation\":\"b\",\"params\":{\"x\":\"1\"}}]}");
  }

  @Test
  void aProblemIsReadCompletely() {
    assertThat(lock("stale").write(Write.of(Operation.of("a"))))
        .isEqualTo(
            new WriteResult.Refused(
                new Problem(
                    412,
                    "stale-token",
                    "token 42 was given",
                    Certainty.REJECTED,
                    false,
                    new FencingToken(42),
                    new FencingToken(43),
                    7L)));
  }

  @Test
  void aLostAcquireReplyIsAskedForAgainWithTheSameRequestId() {
    lostAcquires = 2;
    assertThat(lock("ok").token()).isEqualTo(new FencingToken(42));
    assertThat(requests).hasSize(3);
    assertThat(requests).containsOnly(requests.get(0));
  }

  @Test
  void silenceAndAStallingBodyAreUnknown() {
    assertThat(lock("silent").write(Write.of(Operation.of("a"))))
        .isInstanceOf(WriteResult.Unknown.class);
    assertThat(lock("stalls").write(Write.of(Operation.of("a"))))
        .isInstanceOf(WriteResult.Unknown.class);
  }

  @Test
  void aRefusedConnectionIsNotSent() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    try (FencegateClient nobody =
        FencegateClient.builder()
            .endpoint(URI.create("http://127.0.0.1:" + port))
            .acquireTimeout(Duration.ofMillis(200))
            .build()) {
      AcquireResult result = nobody.acquire(AcquireRequest.of("ok"));
      assertThat(result)
          .isInstanceOfSatisfying(
              AcquireResult.NotHeld.class,
              notHeld -> assertThat(notHeld.problem().code()).isEqualTo("not-sent"));
    }
  }

  @Test
  void anInterruptLeavesTheWriteUnknownAndTheFlagSet() {
    HeldLock lock = lock("silent");
    Thread.currentThread().interrupt();
    WriteResult result = lock.write(Write.of(Operation.of("a")).withIdempotencyKey("k"));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(result).isInstanceOf(WriteResult.Unknown.class);
  }

  @Test
  void anAcquireCarriesEverythingThatItsRequestSays() {
    AcquireRequest request =
        AcquireRequest.of("ok")
            .withRequestId("nightly-17")
            .withHolder("worker-1")
            .withTtl(Duration.ofSeconds(9))
            .withMetadata(Map.of("job", "nightly \"close\""));
    client.acquire(request);
    assertThat(requests)
        .containsExactly(
            "{\"resource\":\"ok\",\"requestId\":\"nightly-17\",\"leaseTtlMs\":9000,"
                + "\"holder\":\"worker-1\",\"metadata\":{\"job\":\"nightly \\\"close\\\"\"}}");
    assertThatThrownBy(() -> request.withRequestId("not an id"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theRequestTimeoutEndsTheWaitForOneAnswer() {
    try (FencegateClient hasty = toTheStandIn().requestTimeout(Duration.ofMillis(150)).build()) {
      WriteResult result = lock(hasty, "silent").write(Write.of(Operation.of("a")));
      assertThat(result)
          .isInstanceOfSatisfying(
              WriteResult.Unknown.class,
              unknown -> assertThat(unknown.problem().detail()).contains("150 ms"));
    }
  }

  @Test
  void theAcquireTimeoutEndsTheRepeatsOfAnAcquireInDoubt() {
    lostAcquires = Integer.MAX_VALUE;
    try (FencegateClient hasty = toTheStandIn().acquireTimeout(Duration.ofMillis(300)).build()) {
      AcquireResult result =
          assertTimeout(WELL_BELOW_DEFAULTS, () -> hasty.acquire(AcquireRequest.of("ok")));
      assertThat(result)
          .isInstanceOfSatisfying(
              AcquireResult.NotHeld.class,
              notHeld -> assertThat(notHeld.problem().outcome()).isEqualTo(Certainty.UNKNOWN));
    }
    assertThat(requests).hasSizeGreaterThan(1);
  }

  @Test
  void theWriteTimeoutEndsTheRepeatsOfAWriteInDoubt() {
    try (FencegateClient hasty = toTheStandIn().writeTimeout(Duration.ofSeconds(1)).build()) {
      HeldLock lock = lock(hasty, "lost");
      requests.clear();
      Write keyed = Write.of(Operation.of("a")).withIdempotencyKey("k");
      assertThat(assertTimeout(WELL_BELOW_DEFAULTS, () -> lock.write(keyed)))
          .isInstanceOf(WriteResult.Unknown.class);
    }
    assertThat(requests).hasSizeGreaterThan(1);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Unusable input gets its own 4xx that names what is wrong; never a 500, never half a deed. */
class MalformedRequestsTest {

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        log: { type: memory }
      resources:
        - name: keyed
          match: keyed/{name}
          adapter: log
          idempotency: { required: true, retention: 1h, scope: caller }
          operations: &ops
            append: { sql: append, params: { text: text } }
        - name: plain
          match: plain/{name}
          adapter: log
          lease: { required: true, ttl: 30s, maxTtl: 60s, maxHold: 1h }
          limits: { maxInFlight: 4, maxBody: 1KiB }
          operations:
            append: { sql: append, params: { text: text } }
      """;

  private static final String LOCK = "/v1/locks/acquire";
  private static final String GOOD = "{\"operation\":\"append\",\"params\":{\"text\":\"x\"}}";

  @TempDir static Path folder;
  private static TestGateways gateways;
  private static ApiClient api;
  private static Lock plain;

  @BeforeAll
  static void start() throws IOException {
    gateways = TestGateways.start(folder, POLICIES.replace("&ops", ""), 1);
    api = gateways.client(0);
    plain = api.acquire("plain/a");
  }

  @AfterAll
  static void stop() {
    gateways.close();
  }

  private static Arguments lock(String body, int status, String code, String mention) {
    return Arguments.of("POST", LOCK, body, Map.of(), status, code, mention);
  }

  private static Arguments write(
      String path, String body, Map<String, String> headers, int status, String code, String word) {
    return Arguments.of("POST", path, body, headers, status, code, word);
  }

  private static String acquire(String fields) {
    return "{\"resource\":\"plain/z\",\"requestId\":\"r\"" + fields + "}";
  }

  /** {@code TOKEN} and {@code LEASE} stand for the held lock's own. */
  private static Map<String, String> fence(String... more) {
    Map<String, String> headers = new HashMap<>();
    headers.put("Fencing-Token", "TOKEN");
    headers.put("Fencing-Lease", "LEASE");
    for (int i = 0; i < more.length; i += 2) {
      headers.put(more[i], more[i + 1]);
    }
    return headers;
  }

  static Stream<Arguments> lockRequests() {
    return Stream.of(
        lock("{", 400, "invalid-request", "JSON"),
        lock("[]", 400, "invalid-request", "no JSON object"),
        lock("{} {}", 400, "invalid-request", "JSON"),
        lock("{\"requestId\":\"r\"}", 400, "invalid-resource", "resource is missing"),
        lock("{\"resource\":\"plain/a\"}", 400, "invalid-request", "requestId is missing"),
        lock("{\"resource\":7,\"requestId\":\"r\"}", 400, "invalid-request", "a number"),
        lock(
            "{\"resource\":\"plain//a\",\"requestId\":\"r\"}", 400, "invalid-resource", "plain//a"),
        lock("{\"resource\":\"../a\",\"requestId\":\"r\"}", 400, "invalid-resource", "../a"),
        lock(
            "{\"resource\":\"plain/\\u0000\",\"requestId\":\"r\"}",
            400,
            "invalid-resource",
            "u0000"),
        lock(
            "{\"resource\":\"nobody/a\",\"requestId\":\"r\"}", 404, "unknown-resource", "nobody/a"),
        lock("{\"resource\":\"plain/z\",\"requestId\":\"a b\"}", 400, "invalid-request", "'a b'"),
        lock(acquire(",\"leaseTTL\":1"), 400, "invalid-request", "leaseTTL"),
        lock(acquire(",\"requestId\":\"s\""), 400, "invalid-request", "JSON"),
        lock(acquire(",\"leaseTtlMs\":\"30s\""), 400, "invalid-request", "leaseTtlMs"),
        lock(acquire(",\"leaseTtlMs\":1.5"), 400, "invalid-request", "1.5"),
        lock(acquire(",\"leaseTtlMs\":-1"), 400, "invalid-request", "-1"),
        lock(acquire(",\"leaseTtlMs\":1999"), 400, "invalid-request", "2000 to 60000"),
        lock(acquire(",\"leaseTtlMs\":60001"), 400, "invalid-request", "60001"),
        lock(acquire(",\"waitTimeoutMs\":-1"), 400, "invalid-request", "waitTimeoutMs"),
        lock(acquire(",\"waitTimeoutMs\":\"1s\""), 400, "invalid-request", "waitTimeoutMs"),
        lock(acquire(",\"metadata\":\"x\""), 400, "invalid-request", "metadata"),
        lock(
            acquire(",\"metadata\":{\"x\":\"" + "y".repeat(2050) + "\"}"),
            400,
            "invalid-request",
            "2048"),
        lock(acquire(",\"holder\":\"" + "h".repeat(129) + "\""), 400, "invalid-request", "holder"),
        lock(acquire(",\"holder\":\"" + "h".repeat(20_000) + "\""), 413, "body-too-large", "16384"),
        lock("[".repeat(5_000), 400, "invalid-request", "JSON"),
        Arguments.of(
            "POST",
            "/v1/locks/renew",
            "{\"resource\":\"plain/a\",\"leaseId\":\"short\"}",
            Map.of(),
            400,
            "invalid-request",
            "leaseId"),
        Arguments.of(
            "POST",
            "/v1/locks/release",
            "{\"resource\":\"plain/a\"}",
            Map.of(),
            400,
            "invalid-request",
            "leaseId is missing"),
        Arguments.of(
            "POST",
            LOCK,
            "{}",
            Map.of("Content-Type", "text/plain"),
            415,
            "unsupported-media-type",
            "text/plain"),
        Arguments.of("GET", "/v1/locks/a%2Fb", "", Map.of(), 400, "invalid-resource", "a%2Fb"),
        Arguments.of("DELETE", LOCK, "", Map.of(), 405, "method-not-allowed", "DELETE"),
        Arguments.of("GET", "/v2/locks", "", Map.of(), 404, "not-found", "/v2/locks"),
        Arguments.of(
            "POST", LOCK, "{}", Map.of("Trailer", "X"), 400, "invalid-request", "Trailer"));
  }

  static Stream<Arguments> writes() {
    String path = "/v1/write/plain/a";
    return Stream.of(
        write(path, GOOD, Map.of(), 428, "token-required", "Fencing-Token"),
        write(path, GOOD, Map.of("Fencing-Token", "TOKEN"), 428, "lease-required", "Fencing-Lease"),
        write(path, GOOD, fence("Fencing-Token", "+43"), 400, "invalid-token", "'+43'"),
        write(path, GOOD, fence("Fencing-Token", "043"), 400, "invalid-token", "'043'"),
        write(path, GOOD, fence("Fencing-Token", "4 3"), 400, "invalid-token", "'4 3'"),
        write(path, GOOD, fence("Fencing-Token", "41, 42"), 400, "invalid-token", "'41, 42'"),
        write(
            path,
            GOOD,
            fence("Fencing-Token", "9223372036854775808"),
            400,
            "invalid-token",
            "canonical"),
        write(
            path,
            GOOD,
            fence("Fencing-Token", "12345678901234567890"),
            400,
            "invalid-token",
            "canonical"),
        write(path, GOOD, fence("Fencing-Lease", "x"), 400, "invalid-request", "leaseId"),
        write(path, GOOD, fence("Idempotency-Key", "k".repeat(129)), 400, "invalid-request", "128"),
        write(
            path,
            GOOD,
            fence("Idempotency-Key", "\"open"),
            400,
            "invalid-request",
            "Idempotency-Key"),
        write(
            path,
            GOOD,
            fence("Fencing-Deadline-Ms", "soon"),
            400,
            "invalid-request",
            "milliseconds"),
        write(
            "/v1/write/keyed/a", GOOD, fence(), 428, "idempotency-key-required", "Idempotency-Key"),
        write("/v1/write/nobody/a", GOOD, fence(), 404, "unknown-resource", "nobody/a"),
        write("/v1/write/plain/..", GOOD, fence(), 400, "invalid-resource", "plain/.."),
        write("/v1/write/plain/a%00", GOOD, fence(), 400, "invalid-resource", "a%00"),
        write(path, "", fence(), 400, "invalid-request", "JSON"),
        write(path, "{\"operation\":\"nope\"}", fence(), 404, "unknown-operation", "nope"),
        write(path, "{\"params\":{}}", fence(), 400, "invalid-request", "operation is missing"),
        write(path, "{\"sql\":\"DROP TABLE x\"}", fence(), 400, "invalid-request", "sql"),
        write(path, "{\"operations\":[]}", fence(), 400, "invalid-request", "1 to 100"),
        write(path, "{\"operations\":[7]}", fence(), 400, "invalid-request", "operations[0]"),
        write(
            path,
            "{\"operations\":[{\"operation\":\"x y\"}]}",
            fence(),
            400,
            "invalid-request",
            "operations[0].operation"),
        write(
            path,
            "{\"operation\":\"append\",\"params\":[1]}",
            fence(),
            400,
            "invalid-request",
            "params"),
        write(
            path,
            "{\"operation\":\"append\",\"params\":{\"tex\":\"x\"}}",
            fence(),
            400,
            "invalid-request",
            "tex"),
        write(
            path,
            "{\"operation\":\"append\",\"params\":{\"text\":7}}",
            fence(),
            400,
            "invalid-request",
            "text"),
        write(
            path,
            "{\"operation\":\"append\",\"params\":{\"text\":\"" + "x".repeat(1100) + "\"}}",
            fence(),
            413,
            "body-too-large",
            "1024"),
        write("/v1/seal/plain/a", "", Map.of("Fencing-Token", "0"), 400, "invalid-token", "'0'"));
  }

  @ParameterizedTest(name = "{1} {2} {3}")
  @MethodSource({"lockRequests", "writes"})
  void isRefusedWithItsOwnCodeAndWord(
      String method,
      String path,
      String body,
      Map<String, String> headers,
      int status,
      String code,
      String mention) {
    Map<String, String> sent = new HashMap<>();
    headers.forEach(
        (name, value) ->
            sent.put(
                name, value.replace("TOKEN", plain.token()).replace("LEASE", plain.leaseId())));
    String type = sent.remove("Content-Type");
    Answer answer =
        type == null
            ? api.send(method, path, body, sent)
            : new ApiClient(gateways.workerPort(0)).sendAs(type, method, path, body, sent);
    assertThat(answer.status()).as(answer.toString()).isEqualTo(status);
    assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(answer.code()).isEqualTo(code);
    assertThat(answer.json().getString("type")).isEqualTo("urn:fencegate:problem:" + code);
    assertThat(answer.json().getString("outcome")).isEqualTo("rejected");
    assertThat(answer.json().getString("detail")).contains(mention);
    assertThat(answer.body()).doesNotContain(plain.leaseId());
  }

  @Test
  void theGatewayStillServesAfterAllOfThem() {
    assertThat(api.write(plain, new io.vertx.core.json.JsonObject(GOOD), Map.of()).status())
        .isEqualTo(200);
  }

  @Test
  void aRefusedMethodIsToldWhichOnesAreTaken() {
    assertThat(api.send("DELETE", "/v1/write/plain/a", "", Map.of()).header("Allow"))
        .isEqualTo("POST");
    assertThat(api.send("PUT", "/v1/writes/plain/a", "", Map.of()).header("Allow"))
        .isEqualTo("GET, POST");
  }

  @Test
  void aWriteThatIsRefusedEarlySaysSoInItsHeaders() {
    Answer answer = api.send("POST", "/v1/write/plain/a", GOOD, Map.of());
    assertThat(answer.header("Fencing-Decision")).isEqualTo("rejected;reason=\"token-required\"");
  }

  @Test
  void sealsAndClosedKeysTakeNoFields() {
    Map<String, String> fence =
        Map.of("Fencing-Token", plain.token(), "Fencing-Lease", plain.leaseId());
    Answer seal = api.send("POST", "/v1/seal/plain/a", "{\"x\":1}", fence);
    assertThat(seal.code()).isEqualTo("invalid-request");
    assertThat(api.send("POST", "/v1/seal/plain/a", "{}", fence).status()).isEqualTo(200);
    assertThat(api.send("POST", "/v1/writes/plain/a/close?key=k", "{\"x\":1}", Map.of()).code())
        .isEqualTo("invalid-request");
  }

  @Test
  void repeatedFenceHeadersAreRefused() throws IOException {
    String head =
        "POST /v1/write/plain/a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            + "Content-Length: "
            + GOOD.length()
            + "\r\n"
            + "Fencing-Lease: "
            + plain.leaseId()
            + "\r\n"
            + "Fencing-Token: "
            + plain.token()
            + "\r\nFencing-Token: "
            + plain.token()
            + "\r\n"
            + "Connection: close\r\n\r\n";
    assertThat(raw(head + GOOD)).startsWith("HTTP/1.1 400").contains("invalid-token");
  }

  @Test
  void whatIsNoHttpIsAnsweredAndTheConnectionClosed() throws IOException {
    assertThat(raw("NONSENSE\r\n\r\n")).startsWith("HTTP/1.0 400").contains("invalid-request");
    assertThat(raw("GET / HTTP/1.1\r\nHost: x\r\nX: " + "y".repeat(40_000) + "\r\n\r\n"))
        .startsWith("HTTP/1.1 431")
        .contains("headers-too-large");
    assertThat(
            raw(
                "POST "
                    + LOCK
                    + " HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 417");
    assertThat(
            raw(
                "POST "
                    + LOCK
                    + " HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n"
                    + "Connection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 4");
  }

  /** Sends bytes as they are and reads to the end of the connection. */
  private static String raw(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateways.workerPort(0))) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      try (InputStream in = socket.getInputStream()) {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      }
    }
  }
}

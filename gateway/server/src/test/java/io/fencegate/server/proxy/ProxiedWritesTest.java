/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.stream.IntStream;
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

/** What passes a route, what does not, and in which words. */
@ParameterizedClass
@EnumSource(names = {"DIRECT", "THROUGH_A_HOP"})
class ProxiedWritesTest {

  @TempDir static Path folder;
  @Parameter Way way;
  private static ProxyFixture fixture;
  private Lock lock;

  @BeforeParameterizedClassInvocation
  static void start(Way way) throws IOException {
    fixture = new ProxyFixture(folder, way);
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    fixture.close();
  }

  @BeforeEach
  void freshResource() {
    lock = fixture.api.acquire(fixture.fresh("ledger"));
    fixture.downstream.forget();
  }

  @Test
  void theHoldersRequestPassesAsItIsAndTheAnswerToo() {
    Answer answer =
        fixture.send(lock, "PUT", "entries/9?b=2&a=%2F", "hello", Map.of("X-Own", "mine"));
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo(sha256("hello".getBytes(StandardCharsets.UTF_8)));
    assertThat(answer.header("Fencing-Decision")).isEqualTo("accepted");
    assertThat(answer.header("Fencing-Guarantee")).isEqualTo("serialized");
    assertThat(answer.header("Fencing-Token")).isEqualTo(lock.token());
    assertThat(answer.header("Fencing-Epoch")).isEqualTo(lock.token());
    assertThat(answer.header("X-End")).isEqualTo("yours");
    assertThat(answer.header("X-Hop")).isEmpty();
    assertThat(answer.header("Idempotent-Replayed")).isEmpty();
    HttpDownstream.Seen seen = fixture.downstream.seen().get(0);
    assertThat(fixture.downstream.heads()).hasSize(1);
    assertThat(seen.uri()).isEqualTo("/" + lock.resource() + "/entries/9?b=2&a=%2F");
    assertThat(seen.header("Fencing-Token")).isEqualTo(lock.token());
    assertThat(seen.header("Fencing-Lease")).isEmpty();
    assertThat(seen.header("X-Own")).isEqualTo("mine");
  }

  @Test
  void headersOfOneConnectionAndForgedOnesStayHere() throws IOException {
    String answer =
        firstHead(
            ProxyFixture.head(lock, "POST", "entries")
                + "Connection: X-Nominated\r\nX-Nominated: 1\r\nKeep-Alive: 5\r\n"
                + "Proxy-Authorization: secret\r\nTE: trailers\r\nUpgrade: other\r\n"
                + "Fencing_Token: 99\r\nFencing-Epoch: 99\r\nX-Kept: 1\r\n"
                + "Content-Length: 2\r\n\r\nhi");
    assertThat(answer).startsWith("HTTP/1.1 200").doesNotContain("forged");
    HttpDownstream.Seen seen = fixture.downstream.seen().get(0);
    assertThat(seen.headers().keySet())
        .containsExactlyInAnyOrder("host", "content-length", "x-kept", "fencing-token");
    assertThat(seen.header("host")).isEqualTo("127.0.0.1:" + fixture.downstream.port());
    assertThat(seen.header("fencing-token")).isEqualTo(lock.token());
  }

  private static String firstHead(String request) throws IOException {
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(request);
      return raw.head();
    }
  }

  @Test
  void aStaleTokenNeverReachesTheDownstream() {
    Lock newer = fixture.handOver(lock);
    assertThat(fixture.send(newer, "POST", "a", "x").status()).isEqualTo(200);
    Answer stale = fixture.send(lock, "POST", "a", "y");
    assertThat(stale.status()).isEqualTo(412);
    assertThat(stale.code()).isEqualTo("stale-token");
    assertThat(stale.header("Fencing-Decision")).isEqualTo("rejected;reason=\"stale-token\"");
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  @Test
  void aWriteWithoutATokenIsDenied() {
    Answer answer = fixture.api.send("POST", "/" + lock.resource() + "/a", "x", Map.of());
    assertThat(answer.code()).isEqualTo("token-required");
    assertThat(fixture.downstream.heads()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 204, 303, 307, 308, 404, 409, 412, 429, 500, 503})
  void theDownstreamsOwnStatusPassesAndNothingIsRepeatedOrFollowed(int status) {
    Answer answer = fixture.send(lock, "POST", "status-" + status, "x");
    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.header("Fencing-Decision")).isEqualTo("accepted");
    assertThat(answer.header("Retry-After")).isEqualTo("7");
    assertThat(answer.header("Location")).isEqualTo("http://127.0.0.1:1/elsewhere");
    if (status != 204) {
      assertThat(answer.body()).isEqualTo("{\"own\":\"words\"}");
    }
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  /** Each as the path after the holder's resource, or as a whole where it starts with a slash. */
  @ParameterizedTest
  @CsvSource({
    "a//b, 400",
    "a/./b, 400",
    "../other/a, 400",
    "%2e%2e/other/a, 400",
    "..;/other/a, 400",
    "a;x=1, 400",
    "a%3bx, 400",
    "a%2fb, 400",
    "a%5cb, 400",
    "a%00, 400",
    "a%0a, 400",
    "a%252fb, 400",
    "a%zz, 400",
    "a%2, 400",
    "//ledger/x/a, 400",
    "/LEDGER/x/a, 404",
    "/ledger, 404",
    "/ledger/a%20b/c, 400",
    "/public/x, 404",
    "/v1/nothing, 404",
    "/%76%31/write/x, 400",
    "/, 404",
    "*, 404",
    "http://other/ledger/x/a, 400"
  })
  void aPathThatCouldBeReadInTwoWaysReachesNobody(String path, int status) throws IOException {
    String whole =
        path.startsWith("/") || path.startsWith("*") || path.startsWith("http")
            ? path
            : "/" + lock.resource() + "/" + path;
    String answer =
        RawHttp.exchange(
            fixture.port(),
            "POST "
                + whole
                + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nFencing-Token: "
                + lock.token()
                + "\r\nFencing-Lease: "
                + lock.leaseId()
                + "\r\nContent-Length: 1\r\n\r\nx");
    assertThat(answer).startsWith("HTTP/1.1 " + status);
    assertThat(fixture.downstream.heads()).isEmpty();
  }

  @Test
  void encodedUnreservedCharactersAreTheSamePathAndTheSameResource() throws IOException {
    String path = lock.resource().replace("/t", "/%74") + "/%61%7e";
    String answer =
        RawHttp.exchange(
            fixture.port(),
            ProxyFixture.head(lock, "POST", "a")
                    .replace("/" + lock.resource() + "/a ", "/" + path + " ")
                + "Connection: close\r\nContent-Length: 1\r\n\r\nx");
    assertThat(answer).startsWith("HTTP/1.1 200");
    assertThat(fixture.downstream.seen().get(0).uri()).isEqualTo("/" + lock.resource() + "/a~");
  }

  @Test
  void readsPassWithoutATokenWhereThePolicySaysSo() {
    Answer read = fixture.api.get("/" + lock.resource() + "/a");
    assertThat(read.status()).isEqualTo(200);
    assertThat(read.header("Fencing-Decision")).isEmpty();
    Answer disguised =
        fixture.api.send(
            "GET", "/" + lock.resource() + "/a", "", Map.of("X-HTTP-Method-Override", "DELETE"));
    assertThat(disguised.code()).isEqualTo("invalid-request");
    Answer denied = fixture.api.get("/closed/x/a");
    assertThat(denied.code()).isEqualTo("method-not-allowed");
    assertThat(denied.header("Allow")).isEqualTo("POST");
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  @Test
  void headsHaveNoBodyAndKeepTheirLength() {
    Answer head = fixture.api.send("HEAD", "/" + lock.resource() + "/a", "", Map.of());
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
  }

  @Test
  void whatCannotBeHonouredIsRefusedBeforeAnythingIsSent() throws IOException {
    Lock closed = fixture.api.acquire(fixture.fresh("closed"));
    assertThat(fixture.send(closed, "POST", "a", "x".repeat(1025)).code())
        .isEqualTo("body-too-large");
    assertThat(fixture.send(closed, "PUT", "a", "x").code()).isEqualTo("method-not-allowed");
    assertThat(fixture.send(lock, "OPTIONS", "a", "").code()).isEqualTo("method-not-allowed");
    assertThat(
            RawHttp.exchange(
                fixture.port(),
                ProxyFixture.head(lock, "POST", "a")
                    + "Connection: close\r\nTrailer: X\r\nContent-Length: 1\r\n\r\nx"))
        .startsWith("HTTP/1.1 400")
        .contains("Fencing-Decision: rejected");
    assertThat(
            RawHttp.exchange(
                fixture.port(),
                ProxyFixture.head(lock, "POST", "a") + "Connection: close\r\nExpect: x\r\n\r\n"))
        .startsWith("HTTP/1.1 417");
    assertThat(fixture.downstream.heads()).isEmpty();
  }

  @Test
  void aServedRouteMovesByASwitchOnly() throws IOException {
    Path file = fixture.gateways.policyFile();
    String served = Files.readString(file);
    try {
      Files.writeString(file, served.replace("/closed/{tenant}/**", "/moved/{tenant}/**"));
      Answer reload = reloadEverywhere();
      assertThat(reload.json().getJsonArray("different")).contains("closed");
      Lock closed = fixture.api.acquire(fixture.fresh("closed"));
      Answer moved =
          fixture.api.send(
              "POST",
              "/" + closed.resource().replace("closed/", "moved/"),
              "x",
              Map.of("Fencing-Token", closed.token(), "Fencing-Lease", closed.leaseId()));
      assertThat(moved.code()).as(moved.toString()).isEqualTo("handover");
      assertThat(fixture.downstream.heads()).isEmpty();
    } finally {
      Files.writeString(file, served);
      reloadEverywhere();
    }
  }

  /** What the last gateway answers, which is the one that carries everything out. */
  private Answer reloadEverywhere() {
    return IntStream.range(0, way.gateways)
        .mapToObj(fixture.gateways::operator)
        .map(it -> it.send("POST", "/admin/v1/policies/reload", "", Map.of()))
        .reduce((one, later) -> later)
        .orElseThrow();
  }

  /** After each a request without a token hides in what one reader may take for the body. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5\r\nContent-Length: 5\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: 0x5\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 5,5\r\n",
        "Content-Length : 5\r\n"
      })
  void noRequestHidesInAnothersBody(String framing) throws IOException {
    String hidden =
        "POST /" + lock.resource() + "/hidden HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n";
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(ProxyFixture.head(lock, "POST", "a") + framing + "\r\n0\r\n\r\n" + hidden);
      raw.send("GET /v1/end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      assertThat(raw.rest()).startsWith("HTTP/1.");
    }
    assertThat(fixture.downstream.heads()).noneMatch(it -> it.contains("hidden"));
    assertThat(fixture.downstream.seen())
        .allMatch(
            it ->
                it.headers().containsKey("content-length")
                    != it.headers().containsKey("transfer-encoding"));
  }

  private static String sha256(byte[] bytes) {
    return HexFormat.of().formatHex(HttpDownstream.sha256().digest(bytes));
  }
}

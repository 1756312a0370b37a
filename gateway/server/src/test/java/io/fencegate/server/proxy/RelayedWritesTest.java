/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.slot.Whereabouts;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who carries a write out that came to a gateway which does not. */
class RelayedWritesTest {

  @TempDir static Path folder;
  private static RelayFixture fixture;
  private static HttpDownstream otherOwner;
  private Lock lock;

  @BeforeAll
  static void start() throws IOException {
    fixture = new RelayFixture(folder);
    otherOwner = new HttpDownstream();
  }

  @AfterAll
  static void stop() {
    otherOwner.close();
    fixture.close();
  }

  @BeforeEach
  void take() {
    fixture.reset();
    otherOwner.forget();
    lock = fixture.api.acquire(fixture.fresh(1, "ledger"));
  }

  private static void assertHandover(Answer answer) {
    assertThat(answer.status()).as(answer.toString()).isEqualTo(503);
    assertThat(answer.code()).isEqualTo("handover");
    assertThat(answer.json().getString("outcome")).isEqualTo("rejected");
    assertThat(answer.json().getBoolean("retryable")).isTrue();
    assertThat(answer.header("Fencing-Decision")).isEqualTo("rejected;reason=\"handover\"");
    assertThat(answer.header("Retry-After")).isNotEmpty();
  }

  @Test
  void aWriteIsCarriedOutOnceByItsOwnerAndAnsweredInItsWords() {
    Answer answer =
        fixture.send(
            fixture.api, lock, "PUT", "entries/9?b=2&a=%2F", "hello", Map.of("X-Own", "mine"));
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    assertThat(answer.header("Fencing-Decision")).isEqualTo("accepted");
    assertThat(answer.header("Fencing-Token")).isEqualTo(lock.token());
    assertThat(answer.header("Fencing-Epoch")).isEqualTo(lock.token());
    assertThat(answer.header("Fencing-Guarantee")).isEqualTo("serialized");
    assertThat(answer.header("X-End")).isEqualTo("yours");
    assertThat(fixture.downstream.heads()).hasSize(1);
    HttpDownstream.Seen seen = fixture.downstream.seen().get(0);
    assertThat(seen.uri()).isEqualTo("/" + lock.resource() + "/entries/9?b=2&a=%2F");
    assertThat(seen.header("X-Own")).isEqualTo("mine");
    assertThat(seen.headers()).doesNotContainKeys("Fencegate-Hop", "Fencing-Deadline-Ms", "Expect");
    Awaitility.await()
        .untilAsserted(() -> assertThat(fixture.audited(1, lock.resource())).isEqualTo(1));
    assertThat(fixture.audited(0, "\"write\"")).isZero();
  }

  @Test
  void theOwnerSeesTheRequestAsItCameAndWhoSentItOn() {
    fixture.first.say(RelayFixture.at(otherOwner.port()));
    Answer answer =
        fixture.send(
            fixture.api,
            lock,
            "DELETE",
            "a?x=%2F&y",
            "",
            Map.of("X-Own", "mine", "Cookie", "c=1", "Fencing-Deadline-Ms", "5000"));
    HttpDownstream.Seen seen = otherOwner.seen().get(0);
    assertThat(seen.method()).isEqualTo("DELETE");
    assertThat(seen.uri()).isEqualTo("/" + lock.resource() + "/a?x=%2F&y");
    assertThat(seen.header("Fencing-Token")).isEqualTo(lock.token());
    assertThat(seen.header("Fencing-Lease")).isEqualTo(lock.leaseId());
    assertThat(seen.header("X-Own")).isEqualTo("mine");
    assertThat(seen.header("Cookie")).isEqualTo("c=1");
    assertThat(Long.parseLong(seen.header("Fencing-Deadline-Ms"))).isBetween(1L, 5000L);
    assertThat(seen.header("Fencegate-Hop"))
        .matches("\\Q" + fixture.first.session() + ".another.\\E[A-Za-z0-9_-]{43}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("Fencing-Decision")).isEqualTo("forged");
    assertThat(answer.header("Idempotent-Replayed")).isEqualTo("true");
    assertThat(answer.header("X-End")).isEqualTo("yours");
    assertThat(answer.header("X-Hop")).isEmpty();
  }

  @Test
  void whatAWriteIsJudgedByPassesAlsoWhereConnectionNamesIt() throws IOException {
    fixture.first.say(RelayFixture.at(otherOwner.port()));
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(
          ProxyFixture.head(lock, "DELETE", "a")
              + "Connection: Fencing-Token, Fencing-Lease, X-Nominated\r\n"
              + "X-Nominated: 1\r\nKeep-Alive: 5\r\nContent-Length: 0\r\n\r\n");
      assertThat(raw.head()).startsWith("HTTP/1.1 200");
    }
    HttpDownstream.Seen seen = otherOwner.seen().get(0);
    assertThat(seen.header("Fencing-Token")).isEqualTo(lock.token());
    assertThat(seen.header("Fencing-Lease")).isEqualTo(lock.leaseId());
    assertThat(seen.headers()).doesNotContainKeys("X-Nominated", "Keep-Alive", "Connection");
  }

  @ParameterizedTest
  @ValueSource(ints = {204, 303, 404, 409, 412, 500, 503})
  void theDownstreamsOwnStatusComesBackThroughBoth(int status) {
    Answer answer = fixture.send(lock, "POST", "status-" + status, "x");
    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.header("Fencing-Decision")).isEqualTo("accepted");
    assertThat(answer.header("Retry-After")).isEqualTo("7");
    assertThat(answer.header("Location")).isEqualTo("http://127.0.0.1:1/elsewhere");
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  @Test
  void aSealIsGivenByTheOwner() {
    Answer answer = fixture.api.seal(lock);
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    assertThat(answer.json().getString("epoch")).isEqualTo(lock.token());
    assertThat(fixture.second.asked()).isEqualTo(1);
  }

  @Test
  void aRefusalOfTheOwnerComesBackAsItIs() {
    Answer answer =
        fixture.api.write(lock, new JsonObject("{\"operation\":\"none\",\"params\":{}}"), Map.of());
    assertThat(answer.code()).isEqualTo("unknown-operation");
    assertThat(fixture.second.asked()).isEqualTo(1);
    Lock newer = handOver(lock);
    assertThat(fixture.send(newer, "POST", "a", "x").status()).isEqualTo(200);
    assertThat(fixture.send(lock, "POST", "a", "y").code()).isEqualTo("stale-token");
    assertThat(fixture.downstream.heads()).hasSize(1);
  }

  private static Lock handOver(Lock lock) {
    fixture.api.release(lock);
    return fixture.api.acquire(lock.resource());
  }

  @Test
  void readsAndWritesThatNeedNoOwnerStayWhereTheyCame() {
    Answer read = fixture.api.get("/" + lock.resource() + "/a");
    assertThat(read.status()).isEqualTo(200);
    Lock log = fixture.api.acquire("log/stays");
    JsonObject append = new JsonObject("{\"operation\":\"append\",\"params\":{\"text\":\"a\"}}");
    assertThat(fixture.api.write(log, append, Map.of()).status()).isEqualTo(200);
    assertThat(fixture.first.asked()).isZero();
  }

  @Test
  void aRequestIsNeverRelayedTwiceWhomeverTheGatewaysTakeForTheOwner() {
    fixture.second.say(fixture.atFirst());
    assertHandover(fixture.send(lock, "POST", "a", "x"));
    assertThat(fixture.second.asked()).isBetween(1, 3);
    assertThat(fixture.first.asked()).isBetween(1, 3);
    fixture.second.say(fixture.atFirst());
    assertHandover(fixture.send(lock, "DELETE", "a", ""));
    assertHandover(fixture.api.seal(lock));
    assertThat(fixture.downstream.heads()).isEmpty();
  }

  private String hopToAnother(String method, String what) {
    fixture.first.say(RelayFixture.at(otherOwner.port()));
    fixture.send(lock, method, what, "");
    return otherOwner.seen().get(0).header("Fencegate-Hop");
  }

  @Test
  void aHopToAnotherSessionIsRefusedAsAHandover() {
    String hop = hopToAnother("DELETE", "a");
    assertHandover(
        fixture.send(
            fixture.gateways.client(1), lock, "DELETE", "a", "", Map.of("Fencegate-Hop", hop)));
    assertThat(fixture.downstream.heads()).isEmpty();
  }

  @Test
  void aForgedHopIsRefusedAndNothingIsDone() throws IOException {
    String hop = hopToAnother("DELETE", "a");
    String forSecond = fixture.first.session() + "." + fixture.second.session() + ".";
    for (String forged :
        List.of(
            "x",
            "a.b",
            "a.b." + "A".repeat(43),
            forSecond + hop.substring(hop.lastIndexOf('.') + 1),
            forSecond + "A".repeat(43),
            forSecond + "A".repeat(42))) {
      Answer answer =
          fixture.send(
              fixture.gateways.client(1), lock, "DELETE", "a", "", Map.of("Fencegate-Hop", forged));
      assertThat(answer.status()).as(forged).isEqualTo(400);
      assertThat(answer.code()).isEqualTo("invalid-request");
      assertThat(answer.json().getString("field")).isEqualTo("Fencegate-Hop");
    }
    Answer otherTarget =
        fixture.send(
            fixture.gateways.client(1), lock, "DELETE", "b", "", Map.of("Fencegate-Hop", hop));
    assertThat(otherTarget.status()).isEqualTo(400);
    String twice =
        RawHttp.exchange(
            fixture.gateways.workerPort(1),
            ProxyFixture.head(lock, "DELETE", "a")
                + "Fencegate-Hop: "
                + hop
                + "\r\nfencegate-hop: "
                + hop
                + "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    assertThat(twice).startsWith("HTTP/1.1 400").contains("Fencegate-Hop");
    assertThat(fixture.downstream.heads()).isEmpty();
  }

  @Test
  void aHopHeaderIsJudgedEvenWhereNoOwnerIsNeededAndReachesNoDownstream() {
    Lock log = fixture.api.acquire("log/judged");
    JsonObject append = new JsonObject("{\"operation\":\"append\",\"params\":{\"text\":\"a\"}}");
    assertThat(fixture.api.write(log, append, Map.of("Fencegate-Hop", "x")).status())
        .isEqualTo(400);
    Answer read =
        fixture.api.send("GET", "/" + lock.resource() + "/a", "", Map.of("Fencegate-Hop", "a.b.c"));
    assertThat(read.status()).isEqualTo(200);
    assertThat(fixture.downstream.seen().get(0).headers()).doesNotContainKey("Fencegate-Hop");
  }

  @Test
  void aTargetThatWouldNotReadTheSameAtBothEndsIsRefused() throws IOException {
    try (RawHttp raw = new RawHttp(fixture.port())) {
      raw.send(
          ProxyFixture.head(lock, "POST", "a")
                  .replace(
                      "/" + lock.resource() + "/a ", "/v1/seal/" + lock.resource() + "?\u00e9 ")
              + "Content-Length: 0\r\n\r\n");
      assertThat(raw.head()).startsWith("HTTP/1.1 400");
    }
    assertThat(fixture.second.asked()).isZero();
  }

  @Test
  void anOwnerThatIsGoneIsAHandoverAndNothingIsSent() throws IOException {
    fixture.first.say(RelayFixture.at(RelayFixture.closedPort()));
    assertHandover(fixture.send(lock, "POST", "a", "x"));
    assertHandover(fixture.send(lock, "DELETE", "a", ""));
    assertHandover(fixture.api.seal(lock));
    assertThat(fixture.downstream.heads()).isEmpty();
  }

  @Test
  void aWriteWhoseOwnerIsNotKnownIsAHandoverWithTheReason() {
    fixture.first.say(new Whereabouts.Nowhere("the last owner has ended"));
    Answer answer = fixture.send(lock, "POST", "a", "x");
    assertHandover(answer);
    assertThat(answer.json().getString("detail")).isEqualTo("the last owner has ended");
    fixture.first.say(new Whereabouts.Elsewhere("s", "no address"));
    assertHandover(fixture.send(lock, "POST", "a", "x"));
  }
}

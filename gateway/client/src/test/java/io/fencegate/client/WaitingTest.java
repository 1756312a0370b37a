/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import static io.fencegate.client.ScriptedTransport.granted;
import static io.fencegate.client.ScriptedTransport.ok;
import static io.fencegate.client.ScriptedTransport.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fencegate.client.Transport.Reply;
import io.fencegate.policy.outcome.Certainty;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitingTest {

  private static final long TTL = 9_000;
  private static final long MARGIN = 250;
  private static final Reply LOST_REPLY = new Reply.InDoubt("the exchange failed");
  private static final Reply WAIT_TIMEOUT = problem(409, "wait-timeout", "rejected", true);
  private static final String ACQUIRE = "/v1/locks/acquire";
  private static final String CANCEL = "/v1/locks/cancel";
  private static final String RELEASE = "/v1/locks/release";

  private final ManualTime time = new ManualTime();
  private final ScriptedTransport gateway = new ScriptedTransport(time);
  private final FencegateClient client =
      new FencegateClient(
          gateway, new LeaseKeeper.Parts(time, time, () -> 0.5), ClientTimeouts.DEFAULTS);

  private static AcquireRequest waiting(long millis) {
    return AcquireRequest.of("settlement/eu").withWait(Duration.ofMillis(millis));
  }

  private static Problem problemOf(AcquireResult result) {
    return ((AcquireResult.NotHeld) result).problem();
  }

  private List<Long> waitsSent() {
    return gateway.sent.stream()
        .filter(sent -> sent.call().path().equals(ACQUIRE))
        .map(
            sent -> {
              try {
                Json.Obj body = (Json.Obj) JsonReader.read(sent.call().body());
                Long wait = body.wholeNumber("waitTimeoutMs");
                return wait == null ? 0 : wait;
              } catch (JsonReader.Malformed e) {
                throw new AssertionError(e);
              }
            })
        .toList();
  }

  @Test
  void aShortWaitIsOneCallAndItsTimeoutTheEnd() {
    gateway.thenAfter(5_000, WAIT_TIMEOUT);
    Problem problem = problemOf(client.acquire(waiting(5_000)));

    assertThat(problem.code()).isEqualTo("wait-timeout");
    assertThat(problem.outcome()).isEqualTo(Certainty.REJECTED);
    assertThat(waitsSent()).containsExactly(5_000L);
    assertThat(gateway.paths()).as("nothing is left to cancel").containsOnly(ACQUIRE);
  }

  @Test
  void aLongWaitKeepsItsPlaceByHandingOverToTheSameRequest() {
    gateway.thenSilence(39_375).thenSilence(39_375).thenAfter(21_250, WAIT_TIMEOUT);
    assertThat(problemOf(client.acquire(waiting(100_000))).code()).isEqualTo("wait-timeout");

    assertThat(waitsSent()).containsExactly(45_000L, 45_000L, 21_250L);
    assertThat(time.millis()).isEqualTo(100_000);
    assertThat(gateway.sent.get(2).call().body())
        .contains(requestId(gateway.sent.get(0).call().body()));
  }

  private static String requestId(String body) {
    try {
      return ((Json.Obj) JsonReader.read(body)).text("requestId");
    } catch (JsonReader.Malformed e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aGrantAfterALongWaitIsCountedFromASecondAskingNotFromBeforeTheWait() {
    gateway.thenAfter(30_000, granted("42", TTL)).then(granted("42", TTL));
    AcquireResult result = client.acquire(waiting(40_000));

    assertThat(result).isInstanceOf(AcquireResult.Held.class);
    HeldLock lock = ((AcquireResult.Held) result).lock();
    assertThat(lock.remaining()).isEqualTo(Duration.ofMillis(TTL - MARGIN));
    assertThat(waitsSent()).containsExactly(40_000L, 0L);
  }

  @Test
  void aGrantAfterALongWaitWhoseSecondAskingFailsIsAskedForOnceMore() {
    gateway
        .thenAfter(30_000, granted("42", TTL))
        .then(LOST_REPLY, problem(503, "draining", "rejected", true), granted("42", TTL));
    assertThat(client.acquire(waiting(40_000))).isInstanceOf(AcquireResult.Held.class);
    assertThat(waitsSent()).containsExactly(40_000L, 0L, 0L, 0L);
  }

  @Test
  void aGrantAtOnceIsTakenAsItIs() {
    gateway.thenAfter(100, granted("42", TTL));
    HeldLock lock = ((AcquireResult.Held) client.acquire(waiting(40_000))).lock();
    assertThat(lock.remaining()).isEqualTo(Duration.ofMillis(TTL - MARGIN - 100));
    assertThat(gateway.sent).hasSize(1);
  }

  @Test
  void aGatewayThatAllowsLessIsHandedOverEarlierFromThenOn() {
    gateway.thenAfter(8_000, WAIT_TIMEOUT).thenSilence(6_000).thenAfter(10, granted("42", TTL));
    assertThat(client.acquire(waiting(60_000))).isInstanceOf(AcquireResult.Held.class);
    assertThat(waitsSent()).containsExactly(45_000L, 8_000L, 8_000L);
  }

  @Test
  void aGatewayThatEndsEveryWaitAtOnceIsNotAskedInARush() {
    for (int i = 0; i < 1_000; i++) {
      gateway.then(WAIT_TIMEOUT);
    }
    assertThat(problemOf(client.acquire(waiting(60_000))).code()).isEqualTo("wait-timeout");
    assertThat(gateway.sent).hasSizeBetween(30, 100);
    assertThat(time.millis()).isCloseTo(60_000, within(100L));
  }

  @Test
  void whatEndsAWaitBeforeItsTimeIsFollowedByAnother() {
    gateway.then(
        problem(409, "in-flight", "unknown", true),
        problem(409, "lease-lost", "rejected", false),
        problem(503, "coordinator-unavailable", "unknown", true),
        new Reply.NotSent("the gateway could not be connected to"),
        granted("42", TTL));
    assertThat(client.acquire(waiting(40_000))).isInstanceOf(AcquireResult.Held.class);
    assertThat(gateway.sent)
        .extracting(sent -> requestId(sent.call().body()))
        .hasSize(5)
        .containsOnly(requestId(gateway.sent.get(0).call().body()));
  }

  @Test
  void tooManyWaitersAreComeBackToWhenTheGatewaySaysSo() {
    gateway.then(
        new Reply.Answer(
            429,
            "application/problem+json",
            false,
            "{\"code\":\"too-many-waiters\",\"outcome\":\"rejected\",\"retryable\":true,"
                + "\"retryAfterMs\":7000}"),
        granted("42", TTL));
    assertThat(client.acquire(waiting(40_000))).isInstanceOf(AcquireResult.Held.class);
    assertThat(gateway.last().atMillis()).isEqualTo(7_025);
  }

  @Test
  void aWaitThatEndsInDoubtIsCancelled() {
    for (int i = 0; i < 100; i++) {
      gateway.then(LOST_REPLY);
    }
    assertThat(problemOf(client.acquire(waiting(1_000))).outcome()).isEqualTo(Certainty.UNKNOWN);
    assertThat(gateway.last().call().path()).isEqualTo(CANCEL);
    assertThat(gateway.last().call().body())
        .isEqualTo(
            "{\"resource\":\"settlement/eu\",\"requestId\":\""
                + requestId(gateway.sent.get(0).call().body())
                + "\"}");
  }

  @Test
  void aGrantWhoseAnswerWasLostIsReleasedWhenTheCancelFindsIt() {
    gateway.thenAfter(30_000, LOST_REPLY);
    gateway.then(
        ok("{\"resource\":\"settlement/eu\",\"cancelled\":false,\"reason\":\"granted\"}"),
        granted("42", TTL),
        ok("{\"released\":true}"));
    assertThat(problemOf(client.acquire(waiting(1_000))).outcome()).isEqualTo(Certainty.UNKNOWN);
    assertThat(gateway.paths()).containsExactly(ACQUIRE, CANCEL, ACQUIRE, RELEASE);
  }

  @Test
  void anInterruptCancelsTheWaitAndReleasesWhatIsGrantedLate() {
    Thread.currentThread().interrupt();
    Problem problem = problemOf(client.acquire(waiting(40_000)));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(problem.code()).isEqualTo("interrupted");
    assertThat(problem.outcome()).isEqualTo(Certainty.UNKNOWN);
    assertThat(gateway.paths()).containsExactly(ACQUIRE, CANCEL);

    gateway.sent.get(0).reply().complete(granted("42", TTL));
    assertThat(gateway.paths()).containsExactly(ACQUIRE, CANCEL, RELEASE);
    assertThat(gateway.last().call().body()).contains("c2VjcmV0LXNlY3JldC1zZQ");
  }

  @Test
  void anInterruptOfAnAcquireWithoutAWaitReleasesWhatIsGrantedLate() {
    Thread.currentThread().interrupt();
    assertThat(problemOf(client.acquire(AcquireRequest.of("settlement/eu"))).code())
        .isEqualTo("interrupted");
    assertThat(Thread.interrupted()).isTrue();

    gateway.sent.get(0).reply().complete(granted("42", TTL));
    assertThat(gateway.paths()).containsExactly(ACQUIRE, RELEASE);
  }

  @Test
  void closingTheClientCancelsTheWaitAndWaitsUntilTheGatewayKnows() throws InterruptedException {
    Thread closer = new Thread(client::close);
    time.after(20_000, closer::start);
    gateway.thenSilence(20_000).then(ok("{\"cancelled\":true}"));
    Problem problem = problemOf(client.acquire(waiting(40_000)));
    assertThat(problem.code()).isEqualTo("client-closed");
    assertThat(problem.outcome()).isEqualTo(Certainty.UNKNOWN);
    assertThat(gateway.paths()).containsExactly(ACQUIRE, CANCEL);
    assertThat(closer.isAlive()).as("the wait's own call is not answered yet").isTrue();

    gateway.sent.get(0).reply().complete(problem(409, "in-flight", "unknown", true));
    closer.join();
    assertThat(gateway.paths()).containsExactly(ACQUIRE, CANCEL);
  }

  @Test
  void aClosedClientSendsNothing() {
    client.close();
    assertThat(problemOf(client.acquire(waiting(40_000))).outcome()).isEqualTo(Certainty.REJECTED);
    assertThat(gateway.sent).isEmpty();
  }

  @Test
  void pausesAreDrawnFromNothingUpToACeilingThatDoubles() {
    Backoff backoff = new Backoff(() -> 0.5);
    assertThat(List.of(1, 2, 3, 4, 5, 6, 7, 8))
        .extracting(i -> backoff.nextMillis(null))
        .containsExactly(25L, 50L, 100L, 200L, 400L, 800L, 1_000L, 1_000L);
    assertThat(new Backoff(() -> 0).nextMillis(null)).isZero();
    assertThat(backoff.nextMillis(500L)).isEqualTo(1_500);
    assertThat(backoff.nextMillis(86_400_000L)).as("bounded").isEqualTo(31_000);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import static io.fencegate.client.ScriptedTransport.applied;
import static io.fencegate.client.ScriptedTransport.granted;
import static io.fencegate.client.ScriptedTransport.ok;
import static io.fencegate.client.ScriptedTransport.problem;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.client.Transport.Reply;
import io.fencegate.policy.outcome.Certainty;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DoubtTest {

  private static final Reply LOST_REPLY = new Reply.InDoubt("the exchange failed");
  private static final Reply HELD = problem(409, "lock-held", "rejected", true);

  private final ManualTime time = new ManualTime();
  private final ScriptedTransport gateway = new ScriptedTransport(time);
  private final FencegateClient client =
      new FencegateClient(
          gateway, new LeaseKeeper.Parts(time, time, () -> 0.5), ClientTimeouts.DEFAULTS);

  private HeldLock acquire() {
    gateway.then(granted("42", 60_000));
    HeldLock lock =
        ((AcquireResult.Held) client.acquire(AcquireRequest.of("settlement/eu"))).lock();
    gateway.sent.clear();
    return lock;
  }

  private static Problem problemOf(AcquireResult result) {
    return ((AcquireResult.NotHeld) result).problem();
  }

  private static Write keyed() {
    return Write.of(Operation.of("post-entry")).withIdempotencyKey("p-1");
  }

  @Test
  void anAcquireWhoseReplyWasLostIsRepeatedWithTheSameRequestId() {
    gateway.then(
        LOST_REPLY, problem(503, "coordinator-unavailable", "unknown", true), granted("42", 9_000));

    AcquireResult result = client.acquire(AcquireRequest.of("settlement/eu"));

    assertThat(result).isInstanceOf(AcquireResult.Held.class);
    assertThat(gateway.sent).hasSize(3);
    assertThat(gateway.sent)
        .extracting(sent -> sent.call().body())
        .containsOnly(gateway.sent.get(0).call().body());
  }

  @Test
  void anAcquireThatStaysInDoubtIsNeverCalledFailed() {
    for (int i = 0; i < 100; i++) {
      gateway.then(LOST_REPLY);
    }
    Problem problem = problemOf(client.acquire(AcquireRequest.of("settlement/eu")));

    assertThat(problem.outcome()).isEqualTo(Certainty.UNKNOWN);
    assertThat(time.millis()).isBetween(19_000L, 21_000L);
  }

  @Test
  void aRefusalAfterADoubtDoesNotTurnTheDoubtIntoANo() {
    gateway.then(LOST_REPLY, problem(403, "forbidden", "rejected", false));
    Problem problem = problemOf(client.acquire(AcquireRequest.of("settlement/eu")));

    assertThat(problem.code()).isEqualTo("forbidden");
    assertThat(problem.outcome()).isEqualTo(Certainty.UNKNOWN);
  }

  @Test
  void aHeldLockIsNotWaitedForWithoutPatience() {
    gateway.then(HELD);
    assertThat(problemOf(client.acquire(AcquireRequest.of("settlement/eu"))).code())
        .isEqualTo("lock-held");
    assertThat(gateway.sent).hasSize(1);
  }

  @Test
  void patienceAsksAgainUntilItIsOver() {
    gateway.then(HELD, HELD, granted("43", 9_000));
    AcquireRequest patient = AcquireRequest.of("settlement/eu").withPatience(Duration.ofSeconds(5));
    assertThat(client.acquire(patient)).isInstanceOf(AcquireResult.Held.class);

    for (int i = 0; i < 100; i++) {
      gateway.then(HELD);
    }
    long before = time.millis();
    AcquireRequest inVain = AcquireRequest.of("settlement/us").withPatience(Duration.ofSeconds(5));
    assertThat(problemOf(client.acquire(inVain)).outcome()).isEqualTo(Certainty.REJECTED);
    assertThat(time.millis() - before).isBetween(5_000L, 5_100L);
  }

  @Test
  void aGrantThatIsOverIsNotHeld() {
    gateway.then(
        ok(
            "{\"leaseId\":\"c2VjcmV0LXNlY3JldC1zZQ\",\"fencingToken\":\"42\","
                + "\"leaseTtlMs\":9000,\"remainingMs\":0}"),
        ok("{\"released\":false}"));
    assertThat(problemOf(client.acquire(AcquireRequest.of("settlement/eu"))).code())
        .isEqualTo("lease-lost");
  }

  @Test
  void aYesWithoutATokenIsNoGrant() {
    gateway.then(ok("{\"leaseId\":\"c2VjcmV0LXNlY3JldC1zZQ\"}"));
    for (int i = 0; i < 100; i++) {
      gateway.then(problem(403, "forbidden", "rejected", false));
    }
    assertThat(problemOf(client.acquire(AcquireRequest.of("settlement/eu"))).outcome())
        .isEqualTo(Certainty.UNKNOWN);
  }

  @Test
  void aWriteWithoutAKeyIsNeverSentTwice() {
    HeldLock lock = acquire();
    gateway.then(LOST_REPLY);

    WriteResult result = lock.write(Write.of(Operation.of("post-entry")));

    assertThat(result).isInstanceOf(WriteResult.Unknown.class);
    assertThat(gateway.sent).hasSize(1);
  }

  @Test
  void aWriteWithAKeyIsRepeatedUnchanged() {
    HeldLock lock = acquire();
    gateway.then(LOST_REPLY, problem(409, "in-flight", "rejected", true), applied());

    WriteResult result = lock.write(keyed());

    assertThat(result).isInstanceOf(WriteResult.Applied.class);
    assertThat(((WriteResult.Applied) result).resultsJson())
        .isEqualTo("[{\"rowCount\":1,\"n\":12.500}]");
    assertThat(gateway.sent).hasSize(3);
    assertThat(gateway.sent)
        .allSatisfy(
            sent -> {
              assertThat(sent.header("Idempotency-Key")).isEqualTo("p-1");
              assertThat(sent.call().body()).isEqualTo(gateway.sent.get(0).call().body());
            });
  }

  @Test
  void anOutcomeThatTheGatewayDoesNotKnowIsPassedOnAtOnceAndMayBeAskedForAgain() {
    HeldLock lock = acquire();
    gateway.then(problem(504, "outcome-unknown", "unknown", false), applied());

    assertThat(lock.write(keyed())).isInstanceOf(WriteResult.Unknown.class);
    assertThat(gateway.sent).hasSize(1);
    assertThat(lock.write(keyed())).isInstanceOf(WriteResult.Applied.class);
    assertThat(gateway.sent)
        .extracting(sent -> sent.header("Idempotency-Key"))
        .containsExactly("p-1", "p-1");
  }

  @Test
  void aRefusalOfTheRepeatProvesNothingAboutTheFirstSending() {
    HeldLock lock = acquire();
    gateway.then(LOST_REPLY, problem(412, "stale-token", "rejected", false));

    assertThat(lock.write(keyed()))
        .isInstanceOfSatisfying(
            WriteResult.Unknown.class,
            unknown -> assertThat(unknown.problem().code()).isEqualTo("stale-token"));
  }

  @Test
  void aWriteInDoubtIsUnknownWhenTheAuthorityIsLostMeanwhile() {
    HeldLock lock = acquire();
    for (int i = 0; i < 100; i++) {
      gateway.then(LOST_REPLY);
    }
    assertThat(lock.write(keyed())).isInstanceOf(WriteResult.Unknown.class);
  }

  @Test
  void aRefusalIsAProof() {
    HeldLock lock = acquire();
    gateway.then(problem(422, "operation-failed", "rejected", false));
    assertThat(lock.write(keyed())).isInstanceOf(WriteResult.Refused.class);
    assertThat(gateway.sent).hasSize(1);
  }

  @Test
  void whatIsNotSentIsSaidSo() {
    HeldLock lock = acquire();
    gateway.then(new Reply.NotSent("the gateway could not be connected to"));
    assertThat(lock.write(Write.of(Operation.of("post-entry"))))
        .isEqualTo(new WriteResult.NotSent("the gateway could not be connected to"));
  }

  @Test
  void anAnswerThatIsNoGatewaysIsUnknown() {
    HeldLock lock = acquire();
    gateway.then(
        new Reply.Answer(502, "text/html", false, "<h1>bad gateway</h1>"),
        ok("{\"outcome\":\"applied\"}"),
        ok("not json"),
        new Reply.Answer(302, "", false, ""));
    for (int i = 0; i < 4; i++) {
      assertThat(lock.write(keyed())).isInstanceOf(WriteResult.Unknown.class);
    }
    assertThat(gateway.sent).hasSize(4);
  }

  @Test
  void sealAnswersTheEpoch() {
    HeldLock lock = acquire();
    gateway.then(ok("{\"resource\":\"settlement/eu\",\"epoch\":\"42\"}"));
    assertThat(lock.seal()).isEqualTo(new SealResult.Sealed(lock.token()));
    assertThat(gateway.last().call().path()).isEqualTo("/v1/seal/settlement/eu");
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import static io.fencegate.client.ScriptedTransport.applied;
import static io.fencegate.client.ScriptedTransport.granted;
import static io.fencegate.client.ScriptedTransport.ok;
import static io.fencegate.client.ScriptedTransport.problem;
import static io.fencegate.client.ScriptedTransport.renewed;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.client.Transport.Reply;
import io.fencegate.policy.lease.LeaseState;
import io.fencegate.policy.lease.LeaseState.Doubt;
import io.fencegate.policy.lease.LeaseState.Loss;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaseTimingTest {

  private static final long TTL = 9_000;
  private static final long MARGIN = 250;
  private static final Reply LOST_REPLY = new Reply.InDoubt("the exchange failed");

  private final ManualTime time = new ManualTime();
  private final ScriptedTransport gateway = new ScriptedTransport(time);

  /** In the middle: no jitter. */
  private double random = 0.5;

  private final FencegateClient client =
      new FencegateClient(
          gateway, new LeaseKeeper.Parts(time, time, () -> random), ClientTimeouts.DEFAULTS);

  private HeldLock acquire() {
    gateway.then(granted("42", TTL));
    return ((AcquireResult.Held) client.acquire(AcquireRequest.of("settlement/eu"))).lock();
  }

  private static Write write() {
    return Write.of(Operation.of("post-entry").param("account", "17"));
  }

  @Test
  void renewsAtAThirdOfTheTtlAndCountsFromBeforeTheSend() {
    HeldLock lock = acquire();
    assertThat(lock.remaining()).isEqualTo(Duration.ofMillis(TTL - MARGIN));

    time.advance(2_999);
    assertThat(gateway.sent).hasSize(1);
    time.advance(1);
    assertThat(gateway.last().call().path()).isEqualTo("/v1/locks/renew");
    time.advance(500);
    gateway.last().reply().complete(renewed("42", TTL));

    assertThat(lock.remaining()).isEqualTo(Duration.ofMillis(TTL - MARGIN - 500));
    time.advance(3_000);
    assertThat(gateway.sent).hasSize(3);
  }

  @ParameterizedTest
  @CsvSource({"0, 2700", "0.25, 2850", "0.5, 3000", "0.999, 3299"})
  void holdersThatBeganTogetherRenewUpToATenthApartFromTheThird(double drawn, long expected) {
    random = drawn;
    HeldLock unused = acquire();
    time.advance(expected);
    assertThat(gateway.sent).hasSize(2);
    assertThat(gateway.last().atMillis()).isEqualTo(expected);
  }

  @Test
  void aDetachedLockIsNeitherRenewedNorReleased() {
    HeldLock lock = acquire();
    assertThat(lock.detach()).isEqualTo(Duration.ofMillis(TTL - MARGIN));
    assertThat(lock.leaseId().reveal()).isEqualTo("c2VjcmV0LXNlY3JldC1zZQ");
    time.advance(60_000);
    lock.close();
    client.close();
    assertThat(gateway.sent).hasSize(1);
    assertThat(lock.write(write())).isInstanceOf(WriteResult.NotSent.class);
  }

  @Test
  void aFailedRenewalStopsWritesUntilOneIsConfirmed() {
    HeldLock lock = acquire();
    List<String> changes = new ArrayList<>();
    lock.addListener(
        (which, before, after) ->
            changes.add(before.getClass().getSimpleName() + after.getClass().getSimpleName()));
    gateway.then(LOST_REPLY);
    time.advance(3_000);

    assertThat(lock.state()).isInstanceOf(LeaseState.Suspect.class);
    assertThat(lock.remaining()).isEqualTo(Duration.ZERO);
    assertThat(lock.write(write())).isInstanceOf(WriteResult.NotSent.class);
    assertThat(gateway.sent).hasSize(2);

    gateway.then(renewed("42", TTL), applied());
    time.advance(450);
    assertThat(lock.state().isLeading()).isTrue();
    assertThat(lock.write(write())).isInstanceOf(WriteResult.Applied.class);
    time.advance(0);
    assertThat(changes).containsExactly("LeadingSuspect", "SuspectLeading");
  }

  @Test
  void aLateRenewalRevivesNothing() {
    HeldLock lock = acquire();
    time.advance(3_000);
    ScriptedTransport.Sent renewal = gateway.last();
    time.freeze(6_000);
    renewal.reply().complete(renewed("42", TTL));

    assertThat(lock.state()).isEqualTo(new LeaseState.Lost(Loss.DEADLINE_PASSED));
    time.advance(60_000);
    assertThat(lock.state()).isEqualTo(new LeaseState.Lost(Loss.DEADLINE_PASSED));
    assertThat(gateway.sent).hasSize(2);
    assertThat(time.pendingTasks()).isZero();
  }

  @Test
  void noWriteLeavesAfterTheLossUnlessItIsToldToBypassTheCheck() {
    HeldLock lock = acquire();
    time.freeze(TTL);

    assertThat(lock.write(write()))
        .isEqualTo(new WriteResult.NotSent("the authority is lost: DEADLINE_PASSED"));
    assertThat(gateway.sent).hasSize(1);

    gateway.then(problem(412, "stale-token", "rejected", false));
    WriteResult bypassed = lock.write(write().bypassLocalCheck(true));
    assertThat(bypassed).isInstanceOf(WriteResult.Refused.class);
    assertThat(gateway.last().header("Fencing-Token")).isEqualTo("42");
    assertThat(gateway.last().call().headers()).doesNotContainKey("Fencing-Deadline-Ms");
  }

  @Test
  void everyWriteNamesTheAuthorityThatIsLeft() {
    HeldLock lock = acquire();
    time.freeze(1_000);
    gateway.then(applied());
    lock.write(write());
    assertThat(gateway.last().header("Fencing-Deadline-Ms")).isEqualTo("7750");

    time.freeze(TTL - MARGIN - 1_000 - 1);
    gateway.then(applied());
    lock.write(write());
    assertThat(gateway.last().header("Fencing-Deadline-Ms")).isEqualTo("1");
  }

  @Test
  void theLossIsAnnouncedAtTheDeadlineByItself() {
    HeldLock lock = acquire();
    List<LeaseState> seen = new ArrayList<>();
    lock.addListener((which, before, after) -> seen.add(after));
    time.advance(3_000);
    time.advance(TTL);
    assertThat(seen).last().isEqualTo(new LeaseState.Lost(Loss.DEADLINE_PASSED));
  }

  @Test
  void aRenewalThatIsRefusedEndsTheHold() {
    HeldLock lock = acquire();
    gateway.then(problem(409, "lease-lost", "rejected", false));
    time.advance(3_000);
    assertThat(lock.state()).isEqualTo(new LeaseState.Lost(Loss.NOT_OWNER));
  }

  @Test
  void aConfirmationOfAnotherTokenConfirmsNothing() {
    HeldLock lock = acquire();
    gateway.then(renewed("43", TTL));
    time.advance(3_000);
    assertThat(lock.state()).isInstanceOf(LeaseState.Suspect.class);
  }

  @Test
  void aSuspendedMachineIsInDoubtUntilARenewalThatWasSentAfterwards() {
    HeldLock lock = acquire();
    time.suspend(60_000);

    assertThat(lock.state())
        .isInstanceOfSatisfying(
            LeaseState.Suspect.class,
            suspect -> assertThat(suspect.doubt()).isEqualTo(Doubt.CLOCKS_DISAGREE));
    assertThat(lock.write(write())).isInstanceOf(WriteResult.NotSent.class);

    gateway.then(renewed("42", TTL));
    time.advance(0);
    assertThat(lock.state().isLeading()).isTrue();
  }

  @Test
  void closingTwiceReleasesOnceAndRenewsNoMore() {
    HeldLock lock = acquire();
    gateway.then(ok("{\"resource\":\"settlement/eu\",\"released\":true}"));
    lock.close();
    lock.close();
    client.close();
    client.close();

    assertThat(gateway.sent).hasSize(2);
    assertThat(gateway.last().call().path()).isEqualTo("/v1/locks/release");
    assertThat(lock.state()).isEqualTo(new LeaseState.Lost(Loss.RELEASED));
    assertThat(lock.write(write())).isInstanceOf(WriteResult.NotSent.class);
    time.advance(60_000);
    assertThat(gateway.sent).hasSize(2);
  }

  @Test
  void closingTheClientReleasesWhatIsHeld() {
    HeldLock lock = acquire();
    gateway.then(ok("{\"resource\":\"settlement/eu\",\"released\":true}"));
    client.close();

    assertThat(gateway.last().call().path()).isEqualTo("/v1/locks/release");
    assertThat(lock.state().isLost()).isTrue();
    assertThat(client.acquire(AcquireRequest.of("settlement/eu")))
        .isInstanceOf(AcquireResult.NotHeld.class);
  }

  @Test
  void noTextShowsTheLeaseId() {
    HeldLock lock = acquire();
    gateway.then(applied());
    lock.write(write());

    assertThat(lock + " " + client + " " + gateway.last().call())
        .doesNotContain("c2VjcmV0")
        .contains("settlement/eu token 42");
  }
}

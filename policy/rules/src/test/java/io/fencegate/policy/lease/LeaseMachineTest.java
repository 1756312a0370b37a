/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.lease.LeaseCommand.Announce;
import io.fencegate.policy.lease.LeaseCommand.LookAt;
import io.fencegate.policy.lease.LeaseCommand.RenewAfter;
import io.fencegate.policy.lease.LeaseCommand.Stop;
import io.fencegate.policy.lease.LeaseEvent.Looked;
import io.fencegate.policy.lease.LeaseEvent.Released;
import io.fencegate.policy.lease.LeaseEvent.RenewalConfirmed;
import io.fencegate.policy.lease.LeaseEvent.RenewalRefused;
import io.fencegate.policy.lease.LeaseEvent.RenewalUncertain;
import io.fencegate.policy.lease.LeaseState.Doubt;
import io.fencegate.policy.lease.LeaseState.Leading;
import io.fencegate.policy.lease.LeaseState.Loss;
import io.fencegate.policy.lease.LeaseState.Lost;
import io.fencegate.policy.lease.LeaseState.Suspect;
import io.fencegate.policy.time.ClockReading;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LeaseMachineTest {

  private static final long TTL = 9_000;
  private static final long MARGIN = 250;
  private static final LeaseMachine MACHINE = LeaseMachine.forTtl(Duration.ofMillis(TTL));
  private static final long WALL_ZERO = 1_700_000_000_000L;

  /** Both clocks at {@code millis}, in agreement. */
  private static ClockReading at(long millis) {
    return new ClockReading(millis * 1_000_000, WALL_ZERO + millis);
  }

  /** The monotonic clock stood still while the wall clock went on, as on a suspended machine. */
  private static ClockReading at(long millis, long wallAheadMillis) {
    return new ClockReading(millis * 1_000_000, WALL_ZERO + millis + wallAheadMillis);
  }

  private static long nanos(long millis) {
    return millis * 1_000_000;
  }

  private static final Leading LEADING = new Leading(nanos(TTL - MARGIN), at(0), at(100));
  private static final Suspect SUSPECT =
      new Suspect(nanos(TTL - MARGIN), at(0), at(100), Doubt.RENEWAL_UNCERTAIN);

  static Stream<Arguments> table() {
    RenewalConfirmed confirmed = new RenewalConfirmed(at(3_000), TTL);
    Leading renewed = new Leading(nanos(3_000 + TTL - MARGIN), at(3_000), at(3_100));
    ClockReading inTime = at(3_100);
    ClockReading tooLate = at(TTL - MARGIN);
    Lost passed = new Lost(Loss.DEADLINE_PASSED);
    return Stream.of(
        row(LEADING, new Looked(), inTime, new Leading(LEADING.deadlineNanos(), at(0), inTime)),
        row(LEADING, confirmed, inTime, renewed),
        row(LEADING, new RenewalUncertain(), inTime, doubt(Doubt.RENEWAL_UNCERTAIN, inTime)),
        row(LEADING, new RenewalRefused(), inTime, new Lost(Loss.NOT_OWNER)),
        row(LEADING, new Released(), inTime, new Lost(Loss.RELEASED)),
        row(LEADING, new Looked(), at(200, 251), doubt(Doubt.CLOCKS_DISAGREE, at(200, 251))),
        row(LEADING, new Looked(), at(200, -251), doubt(Doubt.CLOCKS_DISAGREE, at(200, -251))),
        row(
            LEADING,
            new Looked(),
            at(200, 250),
            new Leading(LEADING.deadlineNanos(), at(0), at(200, 250))),
        row(LEADING, new Looked(), tooLate, passed),
        row(LEADING, confirmed, tooLate, passed),
        row(LEADING, new RenewalUncertain(), tooLate, passed),
        row(SUSPECT, new Looked(), inTime, doubt(Doubt.RENEWAL_UNCERTAIN, inTime)),
        row(SUSPECT, confirmed, inTime, renewed),
        row(SUSPECT, new RenewalUncertain(), inTime, doubt(Doubt.RENEWAL_UNCERTAIN, inTime)),
        row(SUSPECT, new RenewalRefused(), inTime, new Lost(Loss.NOT_OWNER)),
        row(SUSPECT, new Released(), inTime, new Lost(Loss.RELEASED)),
        row(SUSPECT, confirmed, tooLate, passed),
        row(passed, confirmed, inTime, passed),
        row(passed, new Released(), inTime, passed));
  }

  private static Arguments row(
      LeaseState state, LeaseEvent event, ClockReading now, LeaseState expected) {
    return Arguments.of(state, event, now, expected);
  }

  private static Suspect doubt(Doubt doubt, ClockReading lastSeen) {
    return new Suspect(nanos(TTL - MARGIN), at(0), lastSeen, doubt);
  }

  @ParameterizedTest(name = "{0} + {1} = {3}")
  @MethodSource("table")
  void everyTransitionIsAsTheTableSays(
      LeaseState state, LeaseEvent event, ClockReading now, LeaseState expected) {
    LeaseStep step = MACHINE.step(state, event, now);

    assertThat(step.state()).isEqualTo(expected);
    boolean kindChanged = state.getClass() != expected.getClass();
    assertThat(step.commands().stream().filter(Announce.class::isInstance))
        .hasSize(kindChanged ? 1 : 0);
    assertThat(step.commands().contains(new Stop())).isEqualTo(kindChanged && expected.isLost());
  }

  @Test
  void theBudgetCountsFromBeforeTheSend() {
    LeaseStep step = MACHINE.granted(at(1_000), TTL, at(1_900));

    assertThat(step.state())
        .isEqualTo(new Leading(nanos(1_000 + TTL - MARGIN), at(1_000), at(1_900)));
    assertThat(step.commands())
        .containsExactly(new LookAt(nanos(1_000 + TTL - MARGIN)), new RenewAfter(TTL / 3));
  }

  @Test
  void aGrantWhoseTimeRanOutOnTheWayIsLost() {
    assertThat(MACHINE.granted(at(0), TTL, at(TTL)).state())
        .isEqualTo(new Lost(Loss.DEADLINE_PASSED));
    assertThat(MACHINE.granted(at(0), 0, at(1)).state()).isEqualTo(new Lost(Loss.DEADLINE_PASSED));
  }

  @Test
  void aGrantDuringWhichTheMachineWasFrozenIsOnlySuspect() {
    LeaseStep step = MACHINE.granted(at(0), TTL, at(100, 60_000));

    assertThat(step.state()).isInstanceOf(Suspect.class);
    assertThat(step.commands()).contains(new RenewAfter(0));
  }

  @Test
  void aRenewalSentBeforeTheMachineWasFrozenDoesNotConfirm() {
    Suspect frozen = new Suspect(nanos(TTL), at(0), at(200, 5_000), Doubt.CLOCKS_DISAGREE);

    LeaseStep step = MACHINE.step(frozen, new RenewalConfirmed(at(150), TTL), at(300, 5_000));
    assertThat(step.state()).isInstanceOf(Suspect.class);

    LeaseStep after =
        MACHINE.step(step.state(), new RenewalConfirmed(at(350, 5_000), TTL), at(400, 5_000));
    assertThat(after.state().isLeading()).isTrue();
  }

  @Test
  void slowClockDriftNeverAddsUpToADisagreement() {
    LeaseState state = LEADING;
    for (int i = 1; i <= 40; i++) {
      state = MACHINE.step(state, new Looked(), at(100 + i, 200L * i)).state();
    }
    assertThat(state.isLeading()).isTrue();
  }

  @Test
  void anOlderConfirmationNeverShortensANewerOne() {
    Leading newer = new Leading(nanos(12_000), at(3_000), at(3_100));

    LeaseStep step = MACHINE.step(newer, new RenewalConfirmed(at(10), TTL), at(3_200));

    assertThat(step.state()).isEqualTo(new Leading(nanos(12_000), at(3_000), at(3_200)));
    assertThat(step.commands()).isEmpty();
  }

  @Test
  void anAcknowledgementAfterTheDeadlineRevivesNothing() {
    LeaseState state = MACHINE.step(LEADING, new RenewalUncertain(), at(3_000)).state();
    state = MACHINE.step(state, new Looked(), at(TTL)).state();

    LeaseStep step = MACHINE.step(state, new RenewalConfirmed(at(8_000), TTL), at(TTL + 1));

    assertThat(step.state()).isEqualTo(new Lost(Loss.DEADLINE_PASSED));
    assertThat(step.commands()).isEqualTo(List.of());
  }

  /** Whatever happens in whatever order: nothing leaves LOST, and nobody leads past a deadline. */
  @Test
  void nothingEverLeavesLostNorLeadsPastItsDeadline() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int run = 0; run < 2_000; run++) {
      long millis = 0;
      long wallAhead = 0;
      ClockReading now = at(0);
      LeaseState state = MACHINE.granted(now, TTL, now).state();
      for (int i = 0; i < 30; i++) {
        ClockReading sent = now;
        millis += random.nextInt(2_500);
        wallAhead += random.nextInt(10) == 0 ? random.nextInt(4_000) - 2_000 : 0;
        now = at(millis, wallAhead);
        boolean wasLost = state.isLost();
        state = MACHINE.step(state, anyEvent(random, sent), now).state();
        if (wasLost) {
          assertThat(state.isLost()).as("seed %d", seed).isTrue();
        }
        if (state instanceof Leading leading) {
          assertThat(now.isBefore(leading.deadlineNanos())).as("seed %d", seed).isTrue();
          assertThat(leading.deadlineNanos())
              .as("seed %d", seed)
              .isLessThanOrEqualTo(leading.confirmedBy().monotonicNanos() + nanos(TTL - MARGIN));
        }
      }
    }
  }

  private static LeaseEvent anyEvent(Random random, ClockReading sent) {
    int kind = random.nextInt(20);
    if (kind < 9) {
      return new RenewalConfirmed(sent, random.nextInt((int) TTL + 1));
    }
    if (kind < 14) {
      return new Looked();
    }
    if (kind < 18) {
      return new RenewalUncertain();
    }
    return kind == 18 ? new RenewalRefused() : new Released();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.server.observe.HeldLocks.End;
import io.fencegate.server.observe.HeldLocks.Ended;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class HeldLocksTest {

  private static final ResourceName R = ResourceName.parse("r").orThrow();
  private static final FencingToken FIRST = new FencingToken(5);
  private static final FencingToken SECOND = new FencingToken(9);
  private static final long LATER = 20;
  private static final long TTL_MILLIS = 10_000;

  private final HeldLocks locks = new HeldLocks();

  private static ClockReading at(long millis) {
    return new ClockReading(Duration.ofMillis(millis).toNanos(), millis);
  }

  private static Ended ended(End end, long millis) {
    return new Ended(end, OptionalLong.of(Duration.ofMillis(millis).toNanos()));
  }

  @Test
  void aReleaseEndsTheHoldAlsoAfterTheStoreHasToldOfIt() {
    locks.granted(R, FIRST, TTL_MILLIS, at(0));
    assertThat(locks.active()).isEqualTo(1);
    locks.endSeen(R, LATER, at(400));
    assertThat(locks.active()).isZero();
    assertThat(locks.released(R, at(500))).contains(ended(End.RELEASED, 500));
    assertThat(locks.sweep(at(60_000))).isEmpty();
    assertThat(locks.active()).isZero();
  }

  @Test
  void anEndAtTheDeadlineIsAnExpiryAndAnEarlierOneIsSomebodyElses() {
    locks.granted(R, FIRST, TTL_MILLIS, at(0));
    locks.renewed(R, FIRST, TTL_MILLIS, at(5_000));
    locks.endSeen(R, LATER, at(15_200));
    assertThat(locks.sweep(at(15_300))).isEmpty();
    assertThat(locks.sweep(at(17_200))).containsExactly(ended(End.EXPIRED, 15_200));

    locks.granted(R, SECOND, TTL_MILLIS, at(20_000));
    locks.endSeen(R, LATER, at(21_000));
    assertThat(locks.sweep(at(23_000))).containsExactly(ended(End.ELSEWHERE, 1_000));
  }

  @Test
  void theNextGrantEndsAnEarlierHoldAndARepeatDoesNot() {
    locks.granted(R, FIRST, TTL_MILLIS, at(0));
    assertThat(locks.granted(R, FIRST, TTL_MILLIS, at(100))).isEmpty();
    locks.endSeen(R, LATER, at(11_000));
    assertThat(locks.granted(R, SECOND, TTL_MILLIS, at(11_001)))
        .contains(ended(End.EXPIRED, 11_000));
    assertThat(locks.active()).isEqualTo(1);
    assertThat(locks.granted(R, FIRST, 0, at(11_002))).isEmpty();
    assertThat(locks.active()).isEqualTo(1);
  }

  @Test
  void aLockThatGoesOnThroughAnotherGatewayIsForgottenWithoutAnEnd() {
    locks.granted(R, FIRST, TTL_MILLIS, at(0));
    assertThat(locks.sweep(at(TTL_MILLIS + HeldLocks.FORGET.toMillis()))).isEmpty();
    assertThat(locks.active()).isZero();
  }

  @Test
  void aHoldThatBeganElsewhereHasNoKnownLength() {
    locks.renewed(R, FIRST, TTL_MILLIS, at(0));
    assertThat(locks.released(R, at(10))).contains(new Ended(End.RELEASED, OptionalLong.empty()));
  }

  @Test
  void aLateWordOfAnEarlierEndDoesNotEndTheNextHold() {
    locks.granted(R, SECOND, TTL_MILLIS, at(0));
    locks.endSeen(R, 7, at(1));
    assertThat(locks.active()).isEqualTo(1);
    assertThat(locks.released(R, at(2))).contains(ended(End.RELEASED, 2));
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.time;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClockReadingTest {

  private static final long MILLI = 1_000_000L;

  @Test
  void aDeadlineThatHasComeHasPassed() {
    ClockReading now = new ClockReading(100, 0);
    assertThat(now.isBefore(101)).isTrue();
    assertThat(now.isBefore(100)).isFalse();
    assertThat(now.isBefore(99)).isFalse();
  }

  @Test
  void theMonotonicClockMayOverflow() {
    ClockReading now = new ClockReading(Long.MAX_VALUE, 0);
    assertThat(now.isBefore(Long.MAX_VALUE + 5)).isTrue();
    assertThat(now.isBefore(Long.MAX_VALUE - 5)).isFalse();
    assertThat(now.millisUntil(Long.MAX_VALUE + 3 * MILLI)).isEqualTo(3);
    assertThat(new ClockReading(Long.MIN_VALUE + 5 * MILLI - 1, 5).disagreementMillis(now))
        .isZero();
  }

  @Test
  void theRestIsRoundedDownAndNeverNegative() {
    ClockReading now = new ClockReading(0, 0);
    assertThat(now.millisUntil(2 * MILLI - 1)).isEqualTo(1);
    assertThat(now.millisUntil(2 * MILLI)).isEqualTo(2);
    assertThat(now.millisUntil(-5 * MILLI)).isZero();
  }

  @Test
  void disagreementIsHowDifferentlyTheClocksMoved() {
    ClockReading start = new ClockReading(10 * MILLI, 1_000);
    assertThat(new ClockReading(15 * MILLI, 1_005).disagreementMillis(start)).isZero();
    assertThat(new ClockReading(15 * MILLI, 1_105).disagreementMillis(start)).isEqualTo(100);
    assertThat(new ClockReading(115 * MILLI, 1_005).disagreementMillis(start)).isEqualTo(100);
    assertThat(new ClockReading(15 * MILLI, 905).disagreementMillis(start)).isEqualTo(100);
  }
}

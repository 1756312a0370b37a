/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.store.Key;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LineSightTest {

  private static final Key MINE = new Key("wait/r/mine");
  private static final Key OTHERS = new Key("wait/r/others");

  @Test
  void whileTheLockIsHeldNobodyNeedsToAsk() {
    LineSight held = LineSight.NONE.saw(10, true, Optional.of(MINE));
    assertThat(held.isOutdatedFor(MINE)).isFalse();
    assertThat(held.isFreeFor(MINE)).isFalse();
    assertThat(held.placeDeleted(20).isOutdatedFor(MINE)).isFalse();
    assertThat(held.lockDeleted(20).isOutdatedFor(MINE)).isTrue();
  }

  @Test
  void anEventThatIsOlderThanTheAnswerTellsNothing() {
    LineSight held = LineSight.NONE.saw(10, true, Optional.of(MINE));
    assertThat(held.lockDeleted(9).isOutdatedFor(MINE)).isFalse();
    assertThat(LineSight.NONE.lockDeleted(9).saw(10, true, Optional.of(MINE)).isOutdatedFor(MINE))
        .isFalse();
  }

  @Test
  void anEventThatOvertookTheAnswerIsNotForgotten() {
    LineSight early = LineSight.NONE.lockDeleted(11).saw(10, true, Optional.of(MINE));
    assertThat(early.isOutdatedFor(MINE)).isTrue();
  }

  @Test
  void behindSomebodyAtAFreeLockOnlyHisLeavingCounts() {
    LineSight behind = LineSight.NONE.saw(10, false, Optional.of(OTHERS));
    assertThat(behind.isFreeFor(MINE)).isFalse();
    assertThat(behind.lockDeleted(20).isOutdatedFor(MINE)).isFalse();
    assertThat(behind.placeDeleted(20).isOutdatedFor(MINE)).isTrue();
  }

  @Test
  void anOlderAnswerDoesNotReplaceANewerOne() {
    LineSight newer = LineSight.NONE.saw(10, false, Optional.of(MINE));
    assertThat(newer.saw(9, true, Optional.of(OTHERS))).isEqualTo(newer);
    assertThat(newer.isFreeFor(MINE)).isTrue();
  }
}

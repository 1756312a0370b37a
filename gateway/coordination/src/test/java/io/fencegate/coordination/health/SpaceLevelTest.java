/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.store.StoreHealth;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class SpaceLevelTest {

  private static StoreHealth.Space used(long percent) {
    return new StoreHealth.Space(percent, OptionalLong.of(100), false);
  }

  @Test
  void warnsFromFourFifthsAndDoesNotFlicker() {
    assertThat(SpaceLevel.ENOUGH.after(used(79))).isEqualTo(SpaceLevel.ENOUGH);
    assertThat(SpaceLevel.ENOUGH.after(used(80))).isEqualTo(SpaceLevel.SCARCE);
    assertThat(SpaceLevel.SCARCE.after(used(76))).isEqualTo(SpaceLevel.SCARCE);
    assertThat(SpaceLevel.SCARCE.after(used(74))).isEqualTo(SpaceLevel.ENOUGH);
  }

  @Test
  void whatStoresNothingMoreIsExhaustedHoweverMuchIsUsed() {
    assertThat(SpaceLevel.ENOUGH.after(new StoreHealth.Space(1, OptionalLong.of(100), true)))
        .isEqualTo(SpaceLevel.EXHAUSTED);
    assertThat(SpaceLevel.EXHAUSTED.after(used(78))).isEqualTo(SpaceLevel.SCARCE);
  }

  @Test
  void withoutAKnownLimitThereIsNoWarning() {
    assertThat(SpaceLevel.ENOUGH.after(new StoreHealth.Space(1 << 30, OptionalLong.empty(), false)))
        .isEqualTo(SpaceLevel.ENOUGH);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {

  @Test
  void theMedianIsTheMiddleOfWhateverOrder() {
    assertThat(Spread.of(List.of(3.0, 1.0, 10.0))).isEqualTo(new Spread(3, 1, 10));
    assertThat(Spread.of(List.of(4.0, 1.0, 10.0, 2.0))).isEqualTo(new Spread(3, 1, 10));
  }

  @Test
  void ratiosAreOfPairs() {
    assertThat(Spread.ratios(List.of(2.0, 9.0), List.of(1.0, 3.0))).containsExactly(2.0, 3.0);
  }
}

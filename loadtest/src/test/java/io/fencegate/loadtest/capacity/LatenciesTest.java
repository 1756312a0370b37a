/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LatenciesTest {

  @Test
  void aPercentileIsTheTimeThatSoManyStayedWithin() {
    Latencies latencies = new Latencies();
    assertThat(latencies.percentileMillis(99)).isZero();
    for (int i = 1; i <= 1_000; i++) {
      latencies.add(i);
    }
    assertThat(latencies.count()).isEqualTo(1_000);
    assertThat(latencies.percentileMillis(50)).isEqualTo(500);
    assertThat(latencies.percentileMillis(99)).isEqualTo(990);
    assertThat(latencies.percentileMillis(100)).isEqualTo(1_000);
  }

  @Test
  void aVeryLongTimeCountsAsTheLongest() {
    Latencies latencies = new Latencies();
    latencies.add(10_000_000);
    assertThat(latencies.percentileMillis(100)).isEqualTo(60_000);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RateSearchTest {

  private static double search(double first, double limit) {
    RateSearch search = new RateSearch(first, 8);
    int steps = 0;
    while (search.goesOn()) {
      search.tried(search.next() <= limit);
      steps++;
    }
    assertThat(steps).isLessThanOrEqualTo(8);
    return search.sustained();
  }

  @Test
  void findsTheRateFromBelowAndFromAbove() {
    assertThat(search(1_000, 4_000)).isBetween(3_000.0, 4_000.0);
    assertThat(search(1_000, 300)).isBetween(200.0, 300.0);
  }

  @Test
  void endsWhereNothingHolds() {
    assertThat(search(1_000, 0)).isZero();
  }

  @Test
  void endsWhereEverythingHolds() {
    assertThat(search(1_000, 1e12)).isGreaterThan(10_000);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ClusterChoiceTest {

  private static final OptionalLong NONE = OptionalLong.empty();
  private static final OptionalLong A = OptionalLong.of(-7);
  private static final OptionalLong B = OptionalLong.of(8);

  private static OptionalLong choose(OptionalLong chosen, int endpoints, OptionalLong... told) {
    List<Long> ids = List.of(told).stream().map(OptionalLong::getAsLong).toList();
    return ClusterChoice.of(chosen, ids, endpoints);
  }

  @Test
  void nobodyIsBelievedAtFirstBeforeMoreThanHalfOfTheEndpointsSayTheSame() {
    assertThat(choose(NONE, 1, A)).isEqualTo(A);
    assertThat(choose(NONE, 3)).isEqualTo(NONE);
    assertThat(choose(NONE, 3, A)).isEqualTo(NONE);
    assertThat(choose(NONE, 2, A)).isEqualTo(NONE);
    assertThat(choose(NONE, 2, A, B)).isEqualTo(NONE);
    assertThat(choose(NONE, 4, A, A, B)).isEqualTo(NONE);
    assertThat(choose(NONE, 3, A, A)).isEqualTo(A);
  }

  @Test
  void whatWasChosenStaysWhoeverElseAnswers() {
    assertThat(choose(A, 3)).isEqualTo(A);
    assertThat(choose(A, 2, A, B)).isEqualTo(A);
    assertThat(choose(A, 2, B)).isEqualTo(A);
    assertThat(choose(A, 3, B)).isEqualTo(A);
    assertThat(choose(A, 4, A, B, B)).isEqualTo(A);
  }

  @Test
  void moreThanHalfOfTheEndpointsDecideSoAReplacedClusterIsReached() {
    assertThat(choose(A, 1, B)).isEqualTo(B);
    assertThat(choose(A, 2, B, B)).isEqualTo(B);
    assertThat(choose(A, 3, B, B)).isEqualTo(B);
    assertThat(choose(A, 3, A, B, B)).isEqualTo(B);
    assertThat(choose(NONE, 3, A, B, B)).isEqualTo(B);
  }
}

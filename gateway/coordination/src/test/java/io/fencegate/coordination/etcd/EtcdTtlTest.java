/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.etcd.jetcd.api.LeaseTimeToLiveResponse;
import io.fencegate.coordination.store.LeaseTtl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EtcdTtlTest {

  private static LeaseTtl read(long ttlSeconds, long grantedSeconds) {
    return EtcdTtl.read(
        LeaseTimeToLiveResponse.newBuilder()
            .setTTL(ttlSeconds)
            .setGrantedTTL(grantedSeconds)
            .build());
  }

  @ParameterizedTest
  @CsvSource({"0,10,0", "7,10,7", "10,10,10", "12,10,10", "70,10,10", "86401,86401,86401"})
  void aLeaseLivesAsLongAsEtcdSaysButNoLongerThanItWasGranted(
      long said, long granted, long expected) {
    assertThat(read(said, granted)).isEqualTo(new LeaseTtl.Alive(expected));
  }

  @ParameterizedTest
  @CsvSource({"71,10", "9223372036,10", "9223372036,86401", "9223372036854775807,10", "5,0"})
  void anAbsurdTimeIsNoAnswer(long said, long granted) {
    assertThatThrownBy(() -> read(said, granted))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(said + " s more");
  }

  @Test
  void aLeaseThatEtcdDoesNotKnowIsGone() {
    assertThat(read(-1, 0)).isEqualTo(new LeaseTtl.Gone());
  }
}

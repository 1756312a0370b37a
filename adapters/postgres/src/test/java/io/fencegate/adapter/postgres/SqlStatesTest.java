/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.outcome.RefusalCode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlStatesTest {

  @ParameterizedTest
  @CsvSource({
    "23505, OPERATION_FAILED, false",
    "23503, OPERATION_FAILED, false",
    "22P02, OPERATION_FAILED, false",
    "22003, OPERATION_FAILED, false",
    "21000, OPERATION_FAILED, false",
    "42601, OPERATION_FAILED, false",
    "42501, OPERATION_FAILED, false",
    "44000, OPERATION_FAILED, false",
    "0A000, OPERATION_FAILED, false",
    "P0001, OPERATION_FAILED, false",
    "XYZ12, OPERATION_FAILED, false",
    "40001, DOWNSTREAM_BUSY, false",
    "40P01, DOWNSTREAM_BUSY, false",
    "40003, DOWNSTREAM_BUSY, true",
    "55P03, DOWNSTREAM_BUSY, false",
    "57014, DOWNSTREAM_BUSY, false",
    "25P03, DOWNSTREAM_BUSY, true",
    "25P04, DOWNSTREAM_BUSY, true",
    "25006, DOWNSTREAM_UNAVAILABLE, false",
    "28P01, DOWNSTREAM_UNAVAILABLE, false",
    "3D000, DOWNSTREAM_UNAVAILABLE, false",
    "53100, DOWNSTREAM_UNAVAILABLE, true",
    "53300, DOWNSTREAM_UNAVAILABLE, true",
    "57P01, DOWNSTREAM_UNAVAILABLE, true",
    "57P03, DOWNSTREAM_UNAVAILABLE, true",
    "08006, DOWNSTREAM_UNAVAILABLE, true",
    "58030, DOWNSTREAM_UNAVAILABLE, true",
    "XX000, DOWNSTREAM_UNAVAILABLE, true",
  })
  void everyClassHasItsMeaning(String state, RefusalCode code, boolean doubtfulAtCommit) {
    assertThat(SqlStates.meaning(state)).isEqualTo(code);
    assertThat(SqlStates.refusal(state, "m").sqlState()).isEqualTo(state);
    assertThat(SqlStates.leavesCommitInDoubt(state)).isEqualTo(doubtfulAtCommit);
    assertThat(SqlStates.ownRefusal(state, "m").code()).isNotEqualTo(RefusalCode.OPERATION_FAILED);
  }
}

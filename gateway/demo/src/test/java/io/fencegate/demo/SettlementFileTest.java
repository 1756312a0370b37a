/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.demo.SettlementFile.SetAside;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettlementFileTest {

  private static final String HEADER = "posting_id,account,currency,amount";

  @Test
  void everyGoodLineIsAPosting() {
    SettlementFile file =
        SettlementFile.parse(List.of(HEADER, "P-1,ACC-1,EUR,12.50", "P-2,ACC-2,JPY,-7"));

    assertThat(file.postings())
        .containsExactly(
            new Posting("P-1", "ACC-1", "EUR", new BigDecimal("12.50")),
            new Posting("P-2", "ACC-2", "JPY", new BigDecimal("-7")));
    assertThat(file.malformed()).isEmpty();
    assertThat(file.duplicates()).isEmpty();
  }

  @Test
  void aRepeatedIdIsSetAsideWithBothLineNumbers() {
    SettlementFile file =
        SettlementFile.parse(List.of(HEADER, "P-1,A,EUR,1", "P-2,A,EUR,2", "P-1,A,EUR,1"));

    assertThat(file.postings()).hasSize(2);
    assertThat(file.duplicates()).containsExactly(new SetAside(4, "posting P-1 stands in line 2"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "P-1,A,EUR",
        "P-1,A,EUR,1,50",
        "P-1,A,EURO,1",
        "P-1,A,eur,1",
        "P-1,A,EUR,1e3",
        "P-1,A,EUR,+1",
        "P-1,A,EUR,.5",
        "P-1,A,EUR,1.",
        " P-1,A,EUR,1",
        "P-1,A'; DROP TABLE entries,EUR,1"
      })
  void anUnusableLineIsSetAsideWithItsNumber(String line) {
    SettlementFile file = SettlementFile.parse(List.of(HEADER, line, "P-2,A,EUR,1"));

    assertThat(file.postings()).hasSize(1);
    assertThat(file.malformed()).extracting(SetAside::line).containsExactly(2);
  }

  @Test
  void aFileWithoutItsHeaderIsReported() {
    assertThat(SettlementFile.parse(List.of()).malformed()).hasSize(1);
    assertThat(SettlementFile.parse(List.of("P-1,A,EUR,1")).malformed()).hasSize(1);
  }

  @Test
  void theShippedFileShowsBothKindsOfBadLine() throws Exception {
    try (InputStream in = Demo.class.getResourceAsStream("settlement-eu.csv")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      SettlementFile file = SettlementFile.parse(text.lines().toList());

      assertThat(file.postings()).hasSize(300);
      assertThat(file.malformed()).hasSize(1);
      assertThat(file.duplicates()).hasSize(1);
      assertThat(file.postings().stream().map(Posting::currency).distinct().count())
          .isGreaterThan(3);
    }
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.Test;

class SummaryTest {

  private static final List<Posting> FILE =
      List.of(posting("P-1", "EUR", "1.50"), posting("P-2", "USD", "-2"));
  private static final Summary.Counts STALE = new Summary.Counts(1, 1, 1, 0, 412, "stale-token");

  private static Posting posting(String id, String currency, String amount) {
    return new Posting(id, "ACC-1", currency, new BigDecimal(amount));
  }

  private static Summary summary(Summary.Counts counts, List<Posting> ledger) {
    SettlementFile file =
        new SettlementFile(FILE, List.of(new SettlementFile.SetAside(4, "why")), List.of());
    return new Summary(counts, file, Reconciliation.of(FILE, ledger));
  }

  @Test
  void aLedgerThatEqualsTheFileAndARefusalAreGood() {
    Summary summary =
        summary(STALE, List.of(posting("P-2", "USD", "-2.0"), posting("P-1", "EUR", "1.5")));

    assertThat(summary.good()).isTrue();
    assertThat(summary.table())
        .contains("accepted            2   worker-a 1, worker-b 1")
        .contains("412 stale-token")
        .contains("malformed           1   line 4")
        .contains("The ledger matches the file: 2 postings, each exactly once.");
    assertThat(summary.json())
        .startsWith("{\"matches\":true,\"accepted\":2,\"refused\":1,")
        .contains("{\"currency\":\"EUR\",\"file\":\"1.50\",\"ledger\":\"1.5\"}")
        .contains("\"malformed\":[4]")
        .endsWith("\"deviations\":[]}");
  }

  @Test
  void withoutTheRefusalItIsNotGood() {
    Summary.Counts replayed = new Summary.Counts(1, 1, 1, 0, -1, "?");
    assertThat(summary(replayed, FILE).good()).isFalse();
    Summary.Counts expired = new Summary.Counts(1, 1, 1, 0, 412, "lease-expired");
    assertThat(summary(expired, FILE).good()).isFalse();
  }

  @Test
  void aPostingThatIsBookedTwiceIsFound() {
    Summary summary =
        summary(STALE, List.of(FILE.get(0), FILE.get(1), posting("P-1", "EUR", "1.50")));

    assertThat(summary.good()).isFalse();
    assertThat(summary.ledger().deviations())
        .contains("P-1 is in the ledger 2 times", "EUR totals 3.00, the file says 1.50");
    assertThat(summary.table()).contains("DIFFERENT").contains("DOES NOT MATCH");
  }

  @Test
  void missingForeignAndAlteredRowsAreFoundEvenWhenTheTotalsMatch() {
    List<Posting> ledger = List.of(posting("P-3", "EUR", "1.50"), posting("P-2", "USD", "-2"));
    assertThat(Reconciliation.of(FILE, ledger).deviations())
        .containsExactly(
            "P-1 is in the ledger 0 times", "P-3 is in the ledger and not in the file");

    List<Posting> altered =
        List.of(
            new Posting("P-1", "ACC-2", "EUR", new BigDecimal("1.50")),
            posting("P-2", "USD", "-2"));
    assertThat(Reconciliation.of(FILE, altered).matches()).isFalse();
  }
}

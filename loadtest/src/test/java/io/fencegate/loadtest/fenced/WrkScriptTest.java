/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class WrkScriptTest {

  private static final HeldLock LOCK = new HeldLock("ledger/1", "42", "lease");
  private static final Request PUT =
      new Request("PUT", "/ledger/1/entries", LOCK, "{\"entry\":\"x\"}");

  @Test
  void aWriteCarriesTokenLeaseAndLength() {
    assertThat(PUT.text())
        .isEqualTo(
            """
            PUT /ledger/1/entries HTTP/1.1
            Host: 127.0.0.1
            Fencing-Token: 42
            Fencing-Lease: lease
            Content-Type: application/json
            Content-Length: 13

            {"entry":"x"}\
            """
                .replace("\n", "\r\n"));
  }

  @Test
  void aReadHasNoBody() {
    assertThat(new Request("GET", "/ledger/1/entries", LOCK, "").text())
        .endsWith("Fencing-Lease: lease\r\n\r\n")
        .doesNotContain("Content-");
  }

  @Test
  void theScriptHoldsEveryRequestAsOneString() {
    assertThat(WrkScript.of(List.of(PUT, PUT)).lines().filter(line -> line.contains("PUT")))
        .hasSize(2)
        .allSatisfy(
            line ->
                assertThat(line)
                    .startsWith("  \"PUT /ledger/1/entries HTTP/1.1\\r\\nHost")
                    .contains("\\r\\n\\r\\n{\\\"entry\\\":\\\"x\\\"}\""));
  }

  @Test
  void theScriptPrintsTheLineThatIsParsed() {
    assertThat(WrkScript.of(List.of(PUT)))
        .contains("\"" + WrkFigures.MARK + " requests=%d micros=%d p50=%d p99=%d");
  }

  @Test
  void aKeyStandsBetweenHeadersAndBody() {
    assertThat(WrkScript.withKeys(List.of(PUT), "run"))
        .contains("Content-Length: 13\\r\\n\"")
        .contains("heads[next] .. \"Idempotency-Key: run-\" .. sent .. \"\\r\\n\\r\\n\" .. bodies");
  }
}

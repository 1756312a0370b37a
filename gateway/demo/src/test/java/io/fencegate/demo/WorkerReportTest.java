/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.demo.WorkerReport.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkerReportTest {

  @Test
  void aReportIsReadAsItWasWritten() {
    WorkerReport report =
        WorkerReport.of(Kind.REFUSED, "posting", "P-1", "status", 412, "detail", "a b=c\n%é");

    assertThat(report.line()).doesNotContain("\n").startsWith("REFUSED ");
    assertThat(WorkerReport.parse(report.line())).contains(report);
    assertThat(report.number("status")).isEqualTo(412);
    assertThat(report.number("posting")).isEqualTo(-1);
    assertThat(report.fact("absent")).isEqualTo("?");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "held",
        "HELD ",
        "HELD  token=1",
        "HELD token",
        "HELD token=1 token=2",
        "HELD token=%zz",
        "Exception in thread \"main\"",
        "OTHER a=b"
      })
  void anythingElseIsNoReport(String line) {
    assertThat(WorkerReport.parse(line)).isEmpty();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WrkFiguresTest {

  private static final String OUTPUT =
      """
      Running 8s test @ http://127.0.0.1:40123/
        1 threads and 64 connections
        Thread Stats   Avg      Stdev     Max   +/- Stdev
          Latency     3.05ms    1.21ms  40.11ms   91.20%
      Requests/sec:  20000.00
      fencegate-wrk requests=160000 micros=8000000 p50=2900 p99=9100 max=40110 connect=0 read=1 write=0 status=2 timeout=3
      """;

  @Test
  void theLineWithTheFiguresIsFoundAmongWhatWrkPrints() {
    assertThat(WrkFigures.parse(OUTPUT))
        .hasValue(new WrkFigures(160_000, 8_000_000, 2_900, 9_100, 6));
    assertThat(WrkFigures.parse(OUTPUT).orElseThrow().perSecond()).isEqualTo(20_000);
  }

  @Test
  void anErrorOfAnyKindCounts() {
    for (String kind : new String[] {"connect=0", "write=0"}) {
      String more = OUTPUT.replace(kind, kind.replace("0", "7"));
      assertThat(WrkFigures.parse(more).orElseThrow().errors()).as(kind).isEqualTo(13);
    }
  }

  @Test
  void outputWithoutWholeFiguresHasNone() {
    assertThat(WrkFigures.parse("")).isEmpty();
    assertThat(WrkFigures.parse("unable to connect to 127.0.0.1:1 Connection refused")).isEmpty();
    for (String part : new String[] {" p99=9100", " status=2", " requests=160000"}) {
      assertThat(WrkFigures.parse(OUTPUT.replace(part, ""))).as(part).isEmpty();
    }
    assertThat(WrkFigures.parse(OUTPUT.replace("micros=8000000", "micros=0"))).isEmpty();
    assertThat(WrkFigures.parse(OUTPUT.replace("p50=2900", "p50=nan"))).isEmpty();
  }
}

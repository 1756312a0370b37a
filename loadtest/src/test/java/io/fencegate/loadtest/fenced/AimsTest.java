/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AimsTest {

  private static final long SECOND_MICROS = 1_000_000;

  private final Figures figures = new Figures();

  private void round(Way way, long perSecond, long p99Micros, long errors) {
    figures.add(
        way,
        new RoundFigures(
            new WrkFigures(perSecond, SECOND_MICROS, 1_000, p99Micros, errors), 40.5, 99, 70));
  }

  private void allRows() {
    round(Way.FENCED, 15_000, 6_000, 0);
    round(Way.FENCED_BARE, 16_000, 6_000, 0);
    round(Way.UNFENCED, 17_000, 6_000, 0);
    round(Way.NGINX, 20_000, 4_000, 0);
    round(Way.NGINX_AUTH, 7_000, 9_000, 0);
    round(Way.NGINX_AUTH_APART, 9_000, 9_000, 0);
  }

  private List<String> verdicts() {
    List<String> verdicts = new ArrayList<>();
    Aims.json(figures).forEach(aim -> verdicts.add(aim.path("verdict").asText()));
    return verdicts;
  }

  @Test
  void eachAimIsJudgedByItsBound() {
    allRows();
    assertThat(verdicts()).containsExactly("met", "missed", "met", "met");
  }

  @Test
  void theFasterCheckServiceCounts() {
    allRows();
    JsonNode aim = Aims.json(figures).path(2);
    assertThat(aim.path("against").asText()).isEqualTo("nginx-auth-apart");
    assertThat(aim.path("ratio").path("median").asDouble()).isEqualTo(1.667);
  }

  @Test
  void roundsAreComparedWithTheRoundBesideThem() {
    for (long speed : new long[] {1_000, 10_000, 4_000}) {
      round(Way.FENCED, speed * 2, 1_000, 0);
      round(Way.NGINX, speed, 1_000, 0);
    }
    JsonNode ratio = Aims.json(figures).path(1).path("ratio");
    assertThat(ratio.path("least").asDouble()).isEqualTo(2);
    assertThat(ratio.path("most").asDouble()).isEqualTo(2);
  }

  @Test
  void aRowWithAnErrorMakesItsAimsVoid() {
    allRows();
    for (Way way : Way.values()) {
      round(way, 10_000, 5_000, way == Way.NGINX ? 1 : 0);
    }
    assertThat(verdicts()).containsExactly("met", "void", "missed", "void");
  }

  @Test
  void whatWasNotMeasuredIsNotMet() {
    round(Way.FENCED, 15_000, 6_000, 0);
    assertThat(verdicts()).containsOnly("not-measured");
  }

  @Test
  void theTableShowsEveryRowAndEveryAim() {
    allRows();
    round(Way.NGINX, 30_000, 4_000, 1);
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.set("rows", figures.json());
    json.set("aims", Aims.json(figures));
    String table = FencedTable.of(json);
    assertThat(table.lines().filter(line -> line.startsWith("Fencegate: fenced PUT ")))
        .anySatisfy(
            line ->
                assertThat(line)
                    .contains("15000 (15000-15000)")
                    .contains("6.00")
                    .contains(" 40.5 "));
    assertThat(table.lines().filter(line -> line.startsWith("nginx: plain")))
        .singleElement()
        .satisfies(line -> assertThat(line).contains("25000 (20000-30000)").endsWith("1  VOID"));
    assertThat(table).contains("at least 0.9: met").contains("at most 2.0: void");
  }
}

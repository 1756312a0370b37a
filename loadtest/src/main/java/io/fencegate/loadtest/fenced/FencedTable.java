/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The figures for people. Pure. */
final class FencedTable {

  private final StringBuilder out = new StringBuilder();

  private FencedTable() {}

  static String of(JsonNode figures) {
    FencedTable table = new FencedTable();
    table.head(figures);
    table.rows(figures.path("rows"));
    table.aims(figures.path("aims"));
    return table.out.toString();
  }

  private void head(JsonNode figures) {
    JsonNode machine = figures.path("machine");
    line(
        "%s, %s processors, Java %s, %s",
        text(machine, "cpu"),
        text(machine, "processors"),
        text(machine, "java"),
        text(figures, "nginx"));
    JsonNode plan = figures.path("plan");
    line(
        "%s connections, %s resources, bodies of %s bytes, %s rounds of %s s; proxies on core %s,"
            + " everything else on core %s",
        text(plan, "connections"),
        text(plan, "resources"),
        text(plan, "bodyBytes"),
        text(plan, "rounds"),
        text(plan, "roundSeconds"),
        text(plan, "proxyCore"),
        text(plan, "loadCore"));
  }

  private void rows(JsonNode rows) {
    line("");
    line(
        "%-48s %24s %20s %20s %8s %8s %6s %6s",
        "median (least-most)",
        "requests/s",
        "p50 ms",
        "p99 ms",
        "CPU us",
        "proxy %",
        "load %",
        "errors");
    for (JsonNode row : rows) {
      line(
          "%-48s %24s %20s %20s %8s %8s %6s %6s%s",
          text(row, "name"),
          spread(row.path("perSecond"), 0),
          spread(row.path("p50Ms"), 2),
          spread(row.path("p99Ms"), 2),
          text(row.path("cpuMicrosPerRequest"), "median"),
          number(row.path("proxyCorePercent").path("median"), 0),
          number(row.path("loadCorePercent").path("median"), 0),
          text(row, "errors"),
          row.path("void").asBoolean() ? "  VOID" : "");
    }
  }

  private void aims(JsonNode aims) {
    line("");
    line("Aims, by the median of the rounds' ratios");
    for (JsonNode aim : aims) {
      line(
          "  %-10s of %-12s / %-18s %20s  %s %s: %s",
          text(aim, "of"),
          text(aim, "row"),
          text(aim, "against"),
          spread(aim.path("ratio"), 2),
          aim.path("atLeast").asBoolean() ? "at least" : "at most",
          text(aim, "bound"),
          text(aim, "verdict"));
    }
  }

  private static String spread(JsonNode of, int decimals) {
    return of.isMissingNode()
        ? "-"
        : "%s (%s-%s)"
            .formatted(
                number(of.path("median"), decimals),
                number(of.path("least"), decimals),
                number(of.path("most"), decimals));
  }

  private static String number(JsonNode of, int decimals) {
    return String.format(Locale.ROOT, "%." + decimals + "f", of.asDouble());
  }

  private static String text(JsonNode of, String field) {
    return of.path(field).asText("-");
  }

  private void line(String format, Object... values) {
    List<Object> all = new ArrayList<>(List.of(values));
    out.append(String.format(Locale.ROOT, format, all.toArray())).append(System.lineSeparator());
  }
}

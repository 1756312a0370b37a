/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The figures for people. Pure. */
final class CapacityTable {

  private final StringBuilder out = new StringBuilder();

  private CapacityTable() {}

  static String of(ObjectNode figures) {
    CapacityTable table = new CapacityTable();
    table.machine(figures.path("machine"));
    table.workload(figures.path("workload"));
    table.highestRate(figures.path("highestRate"));
    table.cycles(figures.path("cycles"));
    return table.out.toString();
  }

  private void machine(JsonNode machine) {
    line(
        "%s, %s processors, Java %s",
        text(machine, "cpu"), text(machine, "processors"), text(machine, "java"));
  }

  private void workload(JsonNode workload) {
    if (workload.isMissingNode()) {
      return;
    }
    line("");
    line(
        "Workload through HTTP: %s resources, %s held, three etcd nodes, killed at half time: %s",
        text(workload, "resources"), text(workload, "held"), text(workload, "killed"));
    line(
        "  %-10s %-8s %9s %7s %7s %7s %7s  %s",
        "phase", "call", "ok/s", "p50 ms", "p95 ms", "p99 ms", "max ms", "errors");
    for (Phase phase : List.of(Phase.WARM_UP, Phase.STEADY, Phase.AFTER)) {
      for (LockOp op : LockOp.values()) {
        JsonNode of = workload.path("phases").path(phase.wireName()).path(op.wireName());
        if (!of.isMissingNode()) {
          row(phase.wireName(), op.wireName(), of);
        }
      }
    }
    line(
        "  lost leases: %s; Gatling's assertions %s",
        text(workload, "lostLeases"),
        workload.path("assertionsHeld").asBoolean() ? "held" : "DID NOT HOLD");
    JsonNode memory = workload.path("gatewayMemory");
    line(
        "  gateway: heap at most %s MiB of %s, %s MiB after a collection, %s MiB resident",
        text(memory, "heapPeakMib"),
        text(memory, "heapMaxMib"),
        text(memory, "heapLivePeakMib"),
        text(memory, "residentPeakMib"));
    for (Phase phase : List.of(Phase.STEADY, Phase.AFTER)) {
      line(
          "  percent of one processor, %s: %s (machine: of all)",
          phase.wireName(), workload.path("cpuPercent").path(phase.wireName()));
    }
  }

  private void row(String phase, String call, JsonNode of) {
    line(
        "  %-10s %-8s %9s %7s %7s %7s %7s  %s",
        phase,
        call,
        text(of, "okPerSecond"),
        text(of, "p50Ms"),
        text(of, "p95Ms"),
        text(of, "p99Ms"),
        text(of, "maxMs"),
        of.path("errors").isEmpty() ? "none" : of.path("errors"));
  }

  private void highestRate(JsonNode rates) {
    if (rates.isMissingNode()) {
      return;
    }
    line("");
    line("Highest rate on one etcd node, as many acquires, renewals and releases each");
    for (String way : List.of("inProcess", "http")) {
      line(
          "  %-10s %s/s each, %s calls/s",
          way, text(rates.path(way), "eachPerSecond"), text(rates.path(way), "callsPerSecond"));
    }
  }

  private void cycles(JsonNode cycles) {
    if (cycles.isMissingNode()) {
      return;
    }
    line("");
    line("Lock and unlock on one etcd node, %s at once", text(cycles, "atOnce"));
    line(
        "  %-24s %26s %26s  %s",
        "", "cycles/s (least-most)", "times etcd's own", "CPU us per cycle, all processes");
    for (JsonNode entry : cycles.path("rows")) {
      line(
          "  %-24s %26s %26s  %s",
          text(entry, "name"),
          spread(entry.path("perSecond")),
          spread(entry.path("timesEtcdsOwn")),
          spread(entry.path("cpuMicrosPerCycle")));
    }
  }

  private static String spread(JsonNode of) {
    return text(of, "median") + " (" + text(of, "least") + "-" + text(of, "most") + ")";
  }

  private static String text(JsonNode of, String field) {
    return of.path(field).asText("-");
  }

  private void line(String format, Object... values) {
    List<Object> all = new ArrayList<>(List.of(values));
    out.append(String.format(Locale.ROOT, format, all.toArray())).append(System.lineSeparator());
  }
}

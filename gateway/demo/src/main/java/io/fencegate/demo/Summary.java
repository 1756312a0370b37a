/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What it came to, as a table for people and as JSON for programs.
 *
 * @param counts how the writes went
 * @param file what was read
 * @param ledger how the ledger compares
 */
record Summary(Counts counts, SettlementFile file, Reconciliation ledger) {

  private static final int STALE_STATUS = 412;
  private static final String STALE_CODE = "stale-token";

  /**
   * What the workers reported at their ends.
   *
   * @param acceptedOfA postings that were booked already when worker-b came to them, so by
   *     worker-a; it may not have seen the answer to the last one
   * @param acceptedOfB postings that worker-b booked
   * @param duplicates writes that were answered with an earlier write's stored result
   * @param unknown writes whose answer a worker did not see
   */
  record Counts(
      int acceptedOfA,
      int acceptedOfB,
      int duplicates,
      int unknown,
      int refusalStatus,
      String refusalCode) {

    static Counts of(WorkerReport endOfA, WorkerReport endOfB, WorkerReport refusal) {
      return new Counts(
          endOfB.number("replayed"),
          endOfB.number("applied"),
          endOfA.number("replayed") + endOfB.number("replayed"),
          endOfA.number("unknown") + endOfB.number("unknown"),
          refusal.number("status"),
          refusal.fact("code"));
    }

    boolean staleWriteRefused() {
      return refusalStatus == STALE_STATUS && STALE_CODE.equals(refusalCode);
    }
  }

  boolean good() {
    return ledger.matches() && counts.staleWriteRefused();
  }

  String table() {
    List<String> lines = new ArrayList<>();
    lines.add(
        row("accepted", counts.acceptedOfA() + counts.acceptedOfB())
            + String.format(
                "   worker-a %d, worker-b %d", counts.acceptedOfA(), counts.acceptedOfB()));
    lines.add(
        row("refused", counts.staleWriteRefused() ? 1 : 0)
            + "   "
            + counts.refusalStatus()
            + " "
            + counts.refusalCode()
            + ": worker-a after its pause");
    lines.add(row("duplicates", counts.duplicates()) + "   answered with the stored result");
    lines.add(
        row("unknown", counts.unknown())
            + "   answers that worker-a slept through; the stored results tell");
    lines.add(row("malformed", file.malformed().size()) + setAside(file.malformed()));
    lines.add(row("repeated lines", file.duplicates().size()) + setAside(file.duplicates()));
    lines.add("");
    lines.add(String.format("  %-8s %18s %18s", "currency", "file", "ledger"));
    ledger
        .totals()
        .forEach(
            (currency, sums) ->
                lines.add(
                    String.format(
                        "  %-8s %18s %18s  %s",
                        currency,
                        sums.file().toPlainString(),
                        sums.ledger().toPlainString(),
                        sums.match() ? "=" : "DIFFERENT")));
    lines.add("");
    ledger.deviations().forEach(deviation -> lines.add("  WRONG: " + deviation));
    lines.add(verdict());
    return String.join(System.lineSeparator(), lines);
  }

  private String verdict() {
    if (good()) {
      return "  The ledger matches the file: "
          + file.postings().size()
          + " postings, each exactly once.";
    }
    return ledger.matches()
        ? "  The ledger matches the file, but the paused worker was not refused as stale."
        : "  THE LEDGER DOES NOT MATCH THE FILE.";
  }

  private static String row(String name, int count) {
    return String.format("  %-15s %5d", name, count);
  }

  private static String setAside(List<SettlementFile.SetAside> lines) {
    StringBuilder text = new StringBuilder();
    lines.forEach(line -> text.append(text.isEmpty() ? "   line " : ", line ").append(line.line()));
    return text.toString();
  }

  String json() {
    List<String> totals = new ArrayList<>();
    for (Map.Entry<String, Reconciliation.Totals> entry : ledger.totals().entrySet()) {
      totals.add(
          String.format(
              "{\"currency\":%s,\"file\":\"%s\",\"ledger\":\"%s\"}",
              quoted(entry.getKey()),
              entry.getValue().file().toPlainString(),
              entry.getValue().ledger().toPlainString()));
    }
    return String.format(
        Locale.ROOT,
        "{\"matches\":%b,\"accepted\":%d,\"refused\":%d,\"refusal\":{\"status\":%d,\"code\":%s},"
            + "\"duplicates\":%d,\"unknown\":%d,\"malformed\":%s,\"repeatedLines\":%s,"
            + "\"postings\":%d,\"totals\":[%s],\"deviations\":[%s]}",
        good(),
        counts.acceptedOfA() + counts.acceptedOfB(),
        counts.staleWriteRefused() ? 1 : 0,
        counts.refusalStatus(),
        quoted(counts.refusalCode()),
        counts.duplicates(),
        counts.unknown(),
        numbers(file.malformed()),
        numbers(file.duplicates()),
        file.postings().size(),
        String.join(",", totals),
        String.join(",", ledger.deviations().stream().map(Summary::quoted).toList()));
  }

  private static String numbers(List<SettlementFile.SetAside> lines) {
    return lines.stream().map(SettlementFile.SetAside::line).toList().toString();
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    text.chars()
        .forEach(
            c ->
                out.append(
                    c >= ' ' && c < 0x7f && c != '"' && c != '\\'
                        ? String.valueOf((char) c)
                        : String.format("\\u%04x", c)));
    return out.append('"').toString();
  }
}

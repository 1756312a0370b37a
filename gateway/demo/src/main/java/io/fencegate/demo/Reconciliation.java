/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The ledger held against the file: every posting exactly once, and the same totals.
 *
 * @param totals per currency, what the file asks for and what the ledger has
 * @param deviations what is wrong, one sentence each; empty when the ledger is right
 */
record Reconciliation(SortedMap<String, Totals> totals, List<String> deviations) {

  /** One currency's sums. */
  record Totals(BigDecimal file, BigDecimal ledger) {
    boolean match() {
      return file.compareTo(ledger) == 0;
    }
  }

  boolean matches() {
    return deviations.isEmpty();
  }

  static Reconciliation of(List<Posting> file, List<Posting> ledger) {
    List<String> deviations = new ArrayList<>();
    Map<String, List<Posting>> rows = new LinkedHashMap<>();
    ledger.forEach(row -> rows.computeIfAbsent(row.id(), id -> new ArrayList<>()).add(row));
    for (Posting posting : file) {
      List<Posting> found = rows.getOrDefault(posting.id(), List.of());
      if (found.size() != 1) {
        deviations.add(posting.id() + " is in the ledger " + found.size() + " times");
      } else if (!found.get(0).sameAs(posting)) {
        deviations.add(posting.id() + " is " + found.get(0) + ", the file says " + posting);
      }
      rows.remove(posting.id());
    }
    rows.keySet().forEach(id -> deviations.add(id + " is in the ledger and not in the file"));
    SortedMap<String, Totals> totals = totals(sums(file), sums(ledger));
    totals.forEach(
        (currency, sums) -> {
          if (!sums.match()) {
            deviations.add(
                currency + " totals " + sums.ledger() + ", the file says " + sums.file());
          }
        });
    return new Reconciliation(totals, List.copyOf(deviations));
  }

  private static Map<String, BigDecimal> sums(List<Posting> postings) {
    Map<String, BigDecimal> sums = new LinkedHashMap<>();
    postings.forEach(posting -> sums.merge(posting.currency(), posting.amount(), BigDecimal::add));
    return sums;
  }

  private static SortedMap<String, Totals> totals(
      Map<String, BigDecimal> file, Map<String, BigDecimal> ledger) {
    TreeSet<String> currencies = new TreeSet<>(file.keySet());
    currencies.addAll(ledger.keySet());
    SortedMap<String, Totals> totals = new TreeMap<>();
    currencies.forEach(
        currency ->
            totals.put(
                currency,
                new Totals(
                    file.getOrDefault(currency, BigDecimal.ZERO),
                    ledger.getOrDefault(currency, BigDecimal.ZERO))));
    return totals;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What several rounds came to. */
public record Spread(double median, double least, double most) {

  /**
   * Of one value per round.
   *
   * @param values at least one
   */
  public static Spread of(List<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("no values, expected at least one");
    }
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    int last = sorted.size() - 1;
    double median = (sorted.get(last / 2) + sorted.get((last + 1) / 2)) / 2;
    return new Spread(median, sorted.get(0), sorted.get(last));
  }

  /** Round by round, since both rounds of a pair had the same neighbours. */
  public static List<Double> ratios(List<Double> values, List<Double> base) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      ratios.add(values.get(i) / base.get(i));
    }
    return ratios;
  }

  /**
   * Puts the three figures.
   *
   * @param decimals of each figure, 0 or more
   */
  public void putInto(ObjectNode json, int decimals) {
    json.put("median", rounded(median, decimals));
    json.put("least", rounded(least, decimals));
    json.put("most", rounded(most, decimals));
  }

  private static double rounded(double value, int decimals) {
    double scale = Math.pow(10, decimals);
    return Math.round(value * scale) / scale;
  }
}

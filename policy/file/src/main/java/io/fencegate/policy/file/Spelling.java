/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Guesses which known word was meant. */
public final class Spelling {

  /** More edits than these make another word. */
  private static final int MAX_EDITS = 2;

  /** Longer words than these are not mistyped names; comparing them would only cost time. */
  private static final int MAX_CHARS = 64;

  private Spelling() {}

  /** The known word that is closest to the given one; empty where none is close. */
  static Optional<String> closest(String given, Collection<String> known) {
    if (given.length() > MAX_CHARS) {
      return Optional.empty();
    }
    String lower = given.toLowerCase(Locale.ROOT);
    return known.stream()
        .filter(word -> edits(lower, word.toLowerCase(Locale.ROOT)) <= allowed(word))
        .min(Comparator.comparingInt(word -> edits(lower, word.toLowerCase(Locale.ROOT))));
  }

  /** {@code " (did you mean 'x'?)"}, or nothing where no known word is close. */
  public static String hint(String given, Collection<String> known) {
    return closest(given, known).map(word -> " (did you mean '" + word + "'?)").orElse("");
  }

  private static int allowed(String word) {
    return Math.min(MAX_EDITS, word.length() / 2);
  }

  /**
   * Insertions, deletions, replacements and swaps of neighbours that lead from one to the other.
   */
  private static int edits(String from, String to) {
    int[][] cost = new int[from.length() + 1][to.length() + 1];
    for (int i = 0; i <= from.length(); i++) {
      for (int j = 0; j <= to.length(); j++) {
        cost[i][j] = i == 0 || j == 0 ? i + j : cheapest(cost, from, to, i, j);
      }
    }
    return cost[from.length()][to.length()];
  }

  private static int cheapest(int[][] cost, String from, String to, int i, int j) {
    int replace = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
    int best = Math.min(cost[i - 1][j - 1] + replace, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
    boolean swapped =
        i > 1
            && j > 1
            && from.charAt(i - 1) == to.charAt(j - 2)
            && from.charAt(i - 2) == to.charAt(j - 1);
    return swapped ? Math.min(best, cost[i - 2][j - 2] + 1) : best;
  }
}

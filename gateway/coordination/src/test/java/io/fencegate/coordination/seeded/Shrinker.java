/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.seeded;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Makes a failing sequence short: first chunks of halving size are left out for as long as the rest
 * still fails, then single steps are replaced by simpler ones, until neither helps or time is up.
 *
 * <p>The removal is the complement half of delta debugging's {@code ddmin} (Zeller and Hildebrandt,
 * "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 28(2), 2002); trying the chunks
 * alone is left out, since repeated removals come to the same.
 */
public final class Shrinker<S> {

  private final Predicate<List<S>> fails;
  private final Function<S, List<S>> simpler;
  private final BooleanSupplier timeLeft;

  /**
   * A shrinker.
   *
   * @param fails plays a sequence from the beginning
   * @param simpler steps to try instead of one, the simplest first; must come to an end
   */
  public Shrinker(
      Predicate<List<S>> fails, Function<S, List<S>> simpler, BooleanSupplier timeLeft) {
    this.fails = fails;
    this.simpler = simpler;
    this.timeLeft = timeLeft;
  }

  /** A sequence that was seen to fail; at the worst the given one. */
  public List<S> shrink(List<S> failing) {
    List<S> best = failing;
    List<S> before;
    do {
      before = best;
      best = simplified(shortened(best));
    } while (timeLeft.getAsBoolean() && !best.equals(before));
    return best;
  }

  private List<S> shortened(List<S> failing) {
    List<S> best = failing;
    for (int chunk = Math.max(1, best.size() / 2); chunk >= 1; chunk /= 2) {
      int from = 0;
      while (from < best.size() && timeLeft.getAsBoolean()) {
        List<S> candidate = without(best, from, Math.min(from + chunk, best.size()));
        if (fails.test(candidate)) {
          best = candidate;
        } else {
          from += chunk;
        }
      }
    }
    return best;
  }

  private static <S> List<S> without(List<S> steps, int from, int to) {
    List<S> rest = new ArrayList<>(steps.subList(0, from));
    rest.addAll(steps.subList(to, steps.size()));
    return rest;
  }

  private List<S> simplified(List<S> failing) {
    List<S> best = failing;
    for (int i = 0; i < best.size(); i++) {
      best = simplifiedAt(best, i);
    }
    return best;
  }

  private List<S> simplifiedAt(List<S> failing, int index) {
    List<S> best = failing;
    boolean found = true;
    while (found) {
      found = false;
      for (S step : simpler.apply(best.get(index))) {
        List<S> candidate = new ArrayList<>(best);
        candidate.set(index, step);
        if (timeLeft.getAsBoolean() && fails.test(candidate)) {
          best = candidate;
          found = true;
          break;
        }
      }
    }
    return best;
  }
}

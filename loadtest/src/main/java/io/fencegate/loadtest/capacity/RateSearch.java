/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

/**
 * Which rate to try next: half as much again until one fails, then one between the highest that
 * held and the lowest that failed; down by halves while none has held yet. Pure.
 */
final class RateSearch {

  private static final double FACTOR = 1.5;

  private final int maxSteps;
  private double rate;
  private double sustained;
  private double failed = Double.POSITIVE_INFINITY;
  private int steps;
  private boolean betweenTried;

  /**
   * A search that has not begun.
   *
   * @param maxSteps after which it ends in any case; with 8, from 1,000 it gets up to 17,000 and
   *     down to 8
   */
  RateSearch(double firstRate, int maxSteps) {
    this.maxSteps = maxSteps;
    this.rate = firstRate;
  }

  boolean goesOn() {
    return steps < maxSteps && !betweenTried;
  }

  double next() {
    return rate;
  }

  /** What the last rate came to. */
  void tried(boolean held) {
    steps++;
    betweenTried = sustained > 0 && failed < Double.POSITIVE_INFINITY;
    if (held) {
      sustained = Math.max(sustained, rate);
    } else {
      failed = Math.min(failed, rate);
    }
    if (failed == Double.POSITIVE_INFINITY) {
      rate = rate * FACTOR;
    } else if (sustained == 0) {
      rate = rate / 2;
    } else {
      rate = (sustained + failed) / 2;
    }
  }

  /** The highest rate that held; 0 where none did. */
  double sustained() {
    return sustained;
  }
}

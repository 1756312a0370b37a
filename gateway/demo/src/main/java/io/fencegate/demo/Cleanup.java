/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import java.util.ArrayDeque;
import java.util.Deque;

/** What has to be undone, latest first, once: at the end of the script or when a signal comes. */
final class Cleanup {

  /** One thing to undo. */
  interface Step {
    void run() throws Exception;
  }

  private final Deque<Step> steps = new ArrayDeque<>();
  private boolean begun;

  /** Remembers a step; runs it at once when cleaning up has begun. */
  synchronized void add(Step step) {
    if (begun) {
      runSafely(step);
    } else {
      steps.push(step);
    }
  }

  /** Whether cleaning up has begun: failures from here on are its consequences. */
  synchronized boolean hasBegun() {
    return begun;
  }

  /** Undoes everything; a second caller waits for the first. */
  synchronized void run() {
    begun = true;
    while (!steps.isEmpty()) {
      runSafely(steps.pop());
    }
  }

  private static void runSafely(Step step) {
    try {
      step.run();
    } catch (Exception e) {
      System.err.println("cleaning up: " + e);
    }
  }
}

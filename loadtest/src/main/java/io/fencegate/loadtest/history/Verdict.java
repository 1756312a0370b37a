/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.history;

/** What the check of a history came to. */
public sealed interface Verdict {

  /** An order of the calls explains every answer. */
  record Explained(int operations, int configurations) implements Verdict {}

  /**
   * No order of the calls explains the answers: the locks, or what was recorded, are wrong.
   *
   * @param excerpt few calls of one resource that cannot all be right, for people
   */
  record Violation(String resource, String excerpt) implements Verdict {}

  /** Not found out within the bound. */
  record Undecided(String resource, int configurations) implements Verdict {}
}

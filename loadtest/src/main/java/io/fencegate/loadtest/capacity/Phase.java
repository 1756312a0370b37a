/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import java.util.Locale;

/** The parts of a run, in their order. */
enum Phase {
  /** The locks that are held all the time are taken. */
  FILL,
  /** Full load, until programs are compiled and deduplication records come and go. */
  WARM_UP,
  /** Full load, measured. */
  STEADY,
  /** Full load, measured, after the change at half time. */
  AFTER,
  /** What was begun is ended. */
  END;

  String wireName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  boolean isMeasured() {
    return this == STEADY || this == AFTER;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.health;

import io.fencegate.coordination.store.StoreHealth;
import java.util.Locale;

/**
 * How full the coordinator is; ordered. The level before the last one is the warning: compacting,
 * defragmenting or adding room takes an operator, and without room nothing is granted any more.
 */
public enum SpaceLevel {
  ENOUGH,
  /** Four fifths are used. */
  SCARCE,
  /** Nothing is stored any more. */
  EXHAUSTED;

  /** From here on there is a warning. */
  static final double SCARCE_FROM = 0.8;

  /** The warning ends a little below, so that it does not come and go. */
  static final double ENOUGH_BELOW = 0.75;

  /** In lower case, for machines. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The level after {@code this} one. */
  SpaceLevel after(StoreHealth.Space space) {
    if (space.exhausted()) {
      return EXHAUSTED;
    }
    double from = this == ENOUGH ? SCARCE_FROM : ENOUGH_BELOW;
    return space.usedRatio() >= from ? SCARCE : ENOUGH;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import java.util.Locale;

/**
 * What is promised about stale writes, weakest first; the order of the constants is the order of
 * strength.
 */
public enum Guarantee {
  /** Tokens are checked, nothing more. */
  BEST_EFFORT,
  /**
   * The gateway is the only writer, orders writes and drains older ones before a newer epoch goes
   * out. Holds for paused workers always, for a paused gateway within stated time bounds.
   */
  SERIALIZED,
  /**
   * The downstream itself refuses a stale token atomically; holds however long anybody is paused.
   */
  STRICT;

  public String wireName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public boolean isWeakerThan(Guarantee demanded) {
    return compareTo(demanded) < 0;
  }
}

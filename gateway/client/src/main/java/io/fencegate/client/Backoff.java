/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Exponential backoff with jitter, so that many workers that failed together do not come back
 * together.
 */
final class Backoff {

  /** A hiccup is over by then. */
  private static final long FIRST_MILLIS = 50;

  /** Long enough to be no load, short enough that a free lock is found soon. */
  private static final long MAX_MILLIS = 2_000;

  private final DoubleSupplier zeroToOne;
  private long ceilingMillis = FIRST_MILLIS;

  /**
   * A backoff at its start.
   *
   * @param zeroToOne random numbers, 0 included, 1 not
   */
  Backoff(DoubleSupplier zeroToOne) {
    this.zeroToOne = zeroToOne;
  }

  /**
   * How long to wait now: between half and all of a ceiling that doubles, never less than what the
   * gateway asked for, except where that is beyond the greatest ceiling.
   */
  long nextMillis(@Nullable Long retryAfterMillis) {
    long half = ceilingMillis / 2;
    long wait = half + (long) (zeroToOne.getAsDouble() * half);
    ceilingMillis = Math.min(MAX_MILLIS, ceilingMillis * 2);
    long asked = retryAfterMillis == null ? 0 : Math.min(retryAfterMillis, MAX_MILLIS);
    return Math.max(wait, asked);
  }
}

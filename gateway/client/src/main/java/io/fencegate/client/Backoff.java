/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Exponential backoff with full jitter: each wait is drawn evenly between nothing and a ceiling
 * that doubles, so that many workers that failed together do not come back together (M. Brooker,
 * "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
 */
final class Backoff {

  /** A hiccup is over by then. */
  private static final long FIRST_MILLIS = 50;

  /** Long enough to be no load, short enough that a free lock is found soon. */
  private static final long MAX_MILLIS = 2_000;

  /** A gateway that asks for more is mistaken, or something in between is. */
  private static final long MAX_ASKED_MILLIS = 30_000;

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

  /** How long to wait now: what the gateway asked for, if it did, and the jitter on top of it. */
  long nextMillis(@Nullable Long retryAfterMillis) {
    long jitter = (long) (zeroToOne.getAsDouble() * ceilingMillis);
    ceilingMillis = Math.min(MAX_MILLIS, ceilingMillis * 2);
    long asked = retryAfterMillis == null ? 0 : Math.max(0, retryAfterMillis);
    return Math.min(asked, MAX_ASKED_MILLIS) + jitter;
  }

  /** From the start again, once something has gone well. */
  void reset() {
    ceilingMillis = FIRST_MILLIS;
  }
}

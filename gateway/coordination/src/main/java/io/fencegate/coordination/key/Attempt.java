/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Value;
import java.nio.ByteBuffer;

/**
 * Which call of one request it is: drawn at random per call, so that of two calls with the same
 * name only one owns what stands there: of two acquires the later one the place in the queue, of
 * two writes the earlier one the Idempotency-Key.
 *
 * @param number 1 or more; 0 is {@link #NONE}
 */
public record Attempt(long number) {

  /** A call that never waits: nobody takes it over, and it gives nothing back. */
  public static final Attempt NONE = new Attempt(0);

  /** Random bytes that {@link #of} needs. */
  public static final int BYTES = Long.BYTES;

  public Attempt {
    if (number < 0) {
      throw new IllegalArgumentException("an attempt is not negative: " + number);
    }
  }

  /** The attempt that {@value #BYTES} random bytes stand for; never {@link #NONE}. */
  public static Attempt of(byte[] random) {
    return new Attempt(Math.max(1, ByteBuffer.wrap(random).getLong() & Long.MAX_VALUE));
  }

  /** The prefix of every queue entry of exactly this attempt. */
  public Value exactly() {
    return Value.ofLong(number);
  }

  boolean isNone() {
    return number == 0;
  }
}

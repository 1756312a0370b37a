/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import java.util.OptionalLong;

/** Everything that let a write in, looked at once more right before its first byte leaves. */
@FunctionalInterface
public interface LastLook {

  /**
   * Asked once, with nothing awaited between the answer and the first byte.
   *
   * @return until when the write may be under way, monotonic: the end of its caller's time, or of
   *     what is left of the lease that it was let in with; empty: nothing may be sent any more
   */
  OptionalLong sendUntilNanos();

  /** Of a request that nothing but its time can keep back. */
  static LastLook untilThen(long deadlineNanos) {
    return () -> OptionalLong.of(deadlineNanos);
  }
}

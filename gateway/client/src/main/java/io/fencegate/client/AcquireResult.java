/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import java.util.function.Function;

/** What an acquire came to. */
public sealed interface AcquireResult {

  /** The lock is ours; close it when done. */
  record Held(HeldLock lock) implements AcquireResult {}

  /**
   * It is not. A problem with outcome {@code UNKNOWN} means that the gateway may have granted it
   * all the same: repeat the same request object, or leave it to the lease to run out. What waited
   * in the queue, or ended as {@code interrupted} or {@code client-closed}, is taken back at the
   * gateway by the SDK, as far as that is reached, and released if it was granted: make a new
   * request after that.
   */
  record NotHeld(Problem problem) implements AcquireResult {}

  default <R> R fold(
      Function<? super HeldLock, ? extends R> held,
      Function<? super Problem, ? extends R> notHeld) {
    return this instanceof Held h
        ? held.apply(h.lock())
        : notHeld.apply(((NotHeld) this).problem());
  }
}

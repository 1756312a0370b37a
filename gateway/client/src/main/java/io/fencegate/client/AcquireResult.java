/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import java.util.function.Function;

/** What an acquire came to. */
public sealed interface AcquireResult {

  /** The lock is ours; close it when done. */
  record Held(HeldLock lock) implements AcquireResult {}

  /**
   * It is not. A problem with outcome {@code UNKNOWN} means that the gateway may have granted it
   * all the same: repeat the same request object, or leave it to the lease to run out. After {@code
   * interrupted} and {@code client-closed} the SDK releases by itself what is granted late.
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

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.policy.name.HolderId;
import io.fencegate.policy.token.FencingToken;
import java.util.function.Function;

/** A lock as anybody may see it; linearizable. */
public sealed interface LockView {

  /**
   * Somebody holds it.
   *
   * @param metadataJson the holder's own notes, a JSON object
   */
  record Held(
      FencingToken token, HolderId holder, String metadataJson, long remainingMillis, int waiters)
      implements LockView {}

  record Free(int waiters) implements LockView {}

  /** How many wait for it. */
  int waiters();

  default <R> R fold(
      Function<? super Held, ? extends R> held, Function<? super Free, ? extends R> free) {
    return this instanceof Held yes ? held.apply(yes) : free.apply((Free) this);
  }
}

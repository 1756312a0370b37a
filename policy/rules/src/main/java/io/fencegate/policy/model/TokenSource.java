/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.SigningKey;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Who issues a resource's fencing tokens. */
public sealed interface TokenSource {

  /** Fencegate's own locks and elections. */
  record Locks() implements TokenSource {}

  /**
   * Somebody else. The gateway cannot know what was issued, so it bounds what it believes: a forged
   * token can move the epoch by {@code maxJump} at most.
   *
   * @param start the lowest first token; the highest is {@code maxJump} above it
   * @param maxJump by how much a token may be above the epoch; 1 or more
   * @param key every token has to be signed with; empty where none has to
   */
  record External(FencingToken start, long maxJump, Optional<SigningKey> key)
      implements TokenSource {
    public External {
      if (maxJump < 1) {
        throw new IllegalArgumentException("maxJump " + maxJump + " is below 1");
      }
    }
  }

  default String wireName() {
    return fold(() -> "lock", external -> "external");
  }

  default <R> R fold(
      Supplier<? extends R> locks, Function<? super External, ? extends R> external) {
    return this instanceof External it ? external.apply(it) : locks.get();
  }
}

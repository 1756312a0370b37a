/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.token.FencingToken;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a write came to. Never anything in between. */
public sealed interface WriteResult {

  /**
   * Applied exactly once.
   *
   * @param epoch the highest token that the resource has accepted; null where its policy enforces
   *     nothing at present (shadow), so that none was raised
   * @param resultsJson the operations' results, a JSON array with every number exact
   * @param replayed whether an earlier request with the same Idempotency-Key had applied it
   */
  record Applied(@Nullable FencingToken epoch, String resultsJson, boolean replayed)
      implements WriteResult {}

  /** Proof that it was not and will not be applied. */
  record Refused(Problem problem) implements WriteResult {}

  /** May or may not have been applied. */
  record Unknown(Problem problem) implements WriteResult {}

  /** Nothing left this process: the authority is in doubt or gone, or nobody could be reached. */
  record NotSent(String reason) implements WriteResult {}

  /** One branch per kind of result. */
  record Cases<R>(
      Function<? super Applied, ? extends R> applied,
      Function<? super Refused, ? extends R> refused,
      Function<? super Unknown, ? extends R> unknown,
      Function<? super NotSent, ? extends R> notSent) {}

  default <R> R fold(Cases<R> cases) {
    if (this instanceof Applied r) {
      return cases.applied().apply(r);
    }
    if (this instanceof Refused r) {
      return cases.refused().apply(r);
    }
    return this instanceof Unknown r
        ? cases.unknown().apply(r)
        : cases.notSent().apply((NotSent) this);
  }
}

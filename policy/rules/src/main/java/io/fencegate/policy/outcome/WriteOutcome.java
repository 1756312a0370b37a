/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.outcome;

import java.util.function.Function;

/** What a write came to. Never anything in between (contract of every answer to a write). */
public sealed interface WriteOutcome {

  /**
   * Applied exactly once.
   *
   * @param resultsJson the operations' results, a JSON array, exactly as first answered
   * @param replayed whether this is the stored result of an earlier request with the same key
   */
  record Applied(String resultsJson, boolean replayed) implements WriteOutcome {}

  /**
   * Forwarded once and answered by the downstream itself, whose status says what came of it.
   *
   * @param status the downstream's HTTP status
   * @param settled whether it can change nothing any more; false where it may still be at work
   */
  record Answered(int status, boolean settled) implements WriteOutcome {}

  /** Not applied, now or later. */
  record Rejected(Refusal refusal) implements WriteOutcome {
    public Rejected {
      if (refusal.certainty() != Certainty.REJECTED) {
        throw new IllegalArgumentException("in doubt: " + refusal.code());
      }
    }
  }

  /** May or may not have been applied; the gateway never sends it again. */
  record Unknown(Refusal refusal) implements WriteOutcome {
    public Unknown {
      if (refusal.certainty() != Certainty.UNKNOWN) {
        throw new IllegalArgumentException("not in doubt: " + refusal.code());
      }
    }
  }

  default <R> R fold(
      Function<? super Applied, ? extends R> applied,
      Function<? super Answered, ? extends R> answered,
      Function<? super Rejected, ? extends R> rejected,
      Function<? super Unknown, ? extends R> unknown) {
    if (this instanceof Applied a) {
      return applied.apply(a);
    }
    if (this instanceof Answered a) {
      return answered.apply(a);
    }
    return this instanceof Rejected r ? rejected.apply(r) : unknown.apply((Unknown) this);
  }
}

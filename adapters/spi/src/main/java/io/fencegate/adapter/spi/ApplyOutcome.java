/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.token.FencingToken;
import java.util.function.Function;

/** What carrying out a write came to. */
public sealed interface ApplyOutcome {

  /**
   * Applied, durably.
   *
   * @param resultsJson a JSON array with one object per call: {@code operation}, {@code rowCount},
   *     {@code rows} where the operation returns some
   */
  record Applied(String resultsJson) implements ApplyOutcome {}

  /** The key's write was applied before; nothing was done now. */
  record Replayed(RecordedWrite.Applied recorded) implements ApplyOutcome {}

  /** The downstream's epoch is higher; nothing was done. */
  record Stale(FencingToken epoch) implements ApplyOutcome {}

  /**
   * The downstream has not heard of this token yet; nothing was done: seal, then apply once more.
   */
  record SealFirst() implements ApplyOutcome {}

  /** Definitely not applied, now or later. */
  record Rejected(Refusal refusal) implements ApplyOutcome {}

  /**
   * May or may not be applied.
   *
   * @param reason in a few words
   * @param writeId what {@link ResourceAdapter#reconcile} can ask for later
   */
  record Unknown(String reason, String writeId) implements ApplyOutcome {}

  /** One function per case. */
  record Cases<R>(
      Function<? super Applied, ? extends R> applied,
      Function<? super Replayed, ? extends R> replayed,
      Function<? super Stale, ? extends R> stale,
      Function<? super SealFirst, ? extends R> sealFirst,
      Function<? super Rejected, ? extends R> rejected,
      Function<? super Unknown, ? extends R> unknown) {}

  default <R> R fold(Cases<R> cases) {
    if (this instanceof Applied a) {
      return cases.applied().apply(a);
    }
    if (this instanceof Replayed r) {
      return cases.replayed().apply(r);
    }
    if (this instanceof Stale s) {
      return cases.stale().apply(s);
    }
    if (this instanceof SealFirst s) {
      return cases.sealFirst().apply(s);
    }
    return this instanceof Rejected r
        ? cases.rejected().apply(r)
        : cases.unknown().apply((Unknown) this);
  }
}

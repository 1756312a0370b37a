/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.fence;

import io.fencegate.policy.outcome.Refusal;
import java.util.function.Function;
import java.util.function.Supplier;

/** What local knowledge says of a write. */
public sealed interface Decision {

  /** It may go out now. Only {@link DrainBarrier#enter} turns this into a {@link Permit}. */
  record Enter() implements Decision {}

  /** Local knowledge does not suffice: ask the coordinator, then decide again. */
  record Verify() implements Decision {}

  record Refuse(Refusal refusal) implements Decision {}

  default <R> R fold(
      Supplier<? extends R> enter,
      Supplier<? extends R> verify,
      Function<? super Refusal, ? extends R> refuse) {
    if (this instanceof Enter) {
      return enter.get();
    }
    return this instanceof Refuse no ? refuse.apply(no.refusal()) : verify.get();
  }
}

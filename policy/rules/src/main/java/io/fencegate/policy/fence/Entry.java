/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.fence;

import io.fencegate.policy.outcome.Refusal;
import java.util.function.Function;
import java.util.function.Supplier;

/** What entering the barrier, or the second compare before the first byte, came to. */
public sealed interface Entry {

  record Entered(Permit permit) implements Entry {}

  /** Not registered: verify with the coordinator and enter again. */
  record VerifyFirst() implements Entry {}

  /** Not registered (any more). */
  record Refused(Refusal refusal) implements Entry {}

  default <R> R fold(
      Function<? super Permit, ? extends R> entered,
      Supplier<? extends R> verifyFirst,
      Function<? super Refusal, ? extends R> refused) {
    if (this instanceof Entered yes) {
      return entered.apply(yes.permit());
    }
    return this instanceof Refused no ? refused.apply(no.refusal()) : verifyFirst.get();
  }
}

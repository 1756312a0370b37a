/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.outcome.Refusal;
import java.util.function.Function;
import java.util.function.Supplier;

/** What forwarding a request came to. */
public sealed interface ForwardOutcome {

  /**
   * The downstream answered, and the caller was given its answer as far as it went.
   *
   * @param settled whether the request can change nothing any more
   */
  record Answered(int status, boolean settled) implements ForwardOutcome {}

  /** The last look said no: nothing was sent. */
  record Withheld() implements ForwardOutcome {}

  /**
   * The downstream was in another state than the write was {@link ForwardPreparation prepared} for,
   * and has refused it: nothing was changed. Its caller was answered nothing yet.
   */
  record Overtaken() implements ForwardOutcome {}

  /** Nothing was sent, for a reason of the downstream's or the caller's. */
  record Rejected(Refusal refusal) implements ForwardOutcome {}

  /** Something was sent and no answer came: it may still be carried out. */
  record Unknown(String reason) implements ForwardOutcome {}

  default <R> R fold(
      Function<? super Answered, ? extends R> answered,
      Supplier<? extends R> withheld,
      Supplier<? extends R> overtaken,
      Function<? super Refusal, ? extends R> rejected,
      Function<? super Unknown, ? extends R> unknown) {
    if (this instanceof Answered a) {
      return answered.apply(a);
    }
    if (this instanceof Rejected r) {
      return rejected.apply(r.refusal());
    }
    if (this instanceof Overtaken) {
      return overtaken.get();
    }
    return this instanceof Unknown u ? unknown.apply(u) : withheld.get();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.token.FencingToken;
import java.util.function.Function;
import java.util.function.Supplier;

/** What raising the downstream's epoch came to. */
public sealed interface SealOutcome {

  /** The epoch is the permit's token, durably. */
  record Sealed() implements SealOutcome {}

  /** The downstream has accepted a higher token. */
  record Stale(FencingToken epoch) implements SealOutcome {}

  /** Not raised, or not known to be; sealing again is harmless. */
  record Failed(Refusal refusal) implements SealOutcome {}

  default <R> R fold(
      Supplier<? extends R> sealed,
      Function<? super FencingToken, ? extends R> stale,
      Function<? super Refusal, ? extends R> failed) {
    if (this instanceof Stale no) {
      return stale.apply(no.epoch());
    }
    return this instanceof Failed f ? failed.apply(f.refusal()) : sealed.get();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.operator;

import io.fencegate.policy.token.FencingToken;
import java.util.Optional;

/**
 * What is true after a break.
 *
 * @param token that was shut out, if a lock was broken, now or by an earlier call for the same
 *     token
 * @param epoch that the downstream has to be raised to; empty where nothing was ever accepted
 * @param confirmed what the downstream is known to have confirmed
 */
public record Broken(
    Optional<FencingToken> token, Optional<FencingToken> epoch, Optional<FencingToken> confirmed) {

  /** The same where somebody else knows of a higher epoch. */
  Broken above(FencingToken higher) {
    return new Broken(token, Optional.of(higher), confirmed);
  }

  /** The same where somebody else knows what the downstream has confirmed; the higher counts. */
  Broken confirmed(Optional<FencingToken> also) {
    boolean higher =
        also.filter(it -> confirmed.filter(mine -> !mine.isBelow(it)).isEmpty()).isPresent();
    return higher ? new Broken(token, epoch, also) : this;
  }
}

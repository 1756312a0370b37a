/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.policy.fence.Verification;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A token that the coordinator confirmed; the epoch is at least this token, durably.
 *
 * @param askedAt when the request that confirmed it was about to leave
 * @param confirmed the token that the downstream is known to have accepted; null when none is
 */
public record Verified(
    Verification verification, ClockReading askedAt, @Nullable FencingToken confirmed) {

  /** The same where somebody else knows what the downstream has accepted; the higher one counts. */
  Verified with(Optional<FencingToken> alsoConfirmed) {
    FencingToken mine = confirmed;
    return alsoConfirmed
        .filter(it -> mine == null || it.isAbove(mine))
        .map(it -> new Verified(verification, askedAt, it))
        .orElse(this);
  }
}

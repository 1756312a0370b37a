/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.fence;

import io.fencegate.policy.token.FencingToken;
import org.jspecify.annotations.Nullable;

/**
 * What this gateway knows of one resource without asking. It can only be behind: the coordinator's
 * epoch is never lower than {@link #epoch()}.
 *
 * @param epoch the highest token that was accepted as far as this gateway knows; null before the
 *     first
 * @param verification the last confirmation; null when there is none or it was withdrawn
 */
public record FenceView(@Nullable FencingToken epoch, @Nullable Verification verification) {

  /** Nothing is known yet. */
  public static final FenceView BLANK = new FenceView(null, null);

  /** The view after a confirmation: epochs only rise. */
  FenceView with(Verification confirmed) {
    if (epoch != null && confirmed.token().isBelow(epoch)) {
      return this;
    }
    return new FenceView(confirmed.token(), confirmed);
  }

  /** The view after it became known that {@code highest} was accepted somewhere. */
  FenceView raisedTo(FencingToken highest) {
    return epoch != null && !highest.isAbove(epoch) ? this : new FenceView(highest, null);
  }

  FenceView withoutVerification() {
    return verification == null ? this : new FenceView(epoch, null);
  }
}

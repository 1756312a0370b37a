/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import io.fencegate.coordination.key.MarkRecord;
import io.fencegate.policy.model.UnresolvedPolicy;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/** What is known of one resource under the present tenure of its slot. Used from one context. */
final class Kept {

  /** The mark that stands for certain; null where it has to be looked at. */
  @Nullable MarkRecord mark;

  /** Its modification revision; 0 where none is known. */
  long markRevision;

  /** The token of a mark on its way, which may stand already. */
  @Nullable FencingToken nextLowest;

  @Nullable Future<Ruling<FencingToken>> marking;

  /** Whether what earlier owners left has been read. */
  boolean loaded;

  /** Whether some write has gone out under the mark. */
  boolean used;

  /** What the resource's policy last said of doubts. */
  UnresolvedPolicy policy = UnresolvedPolicy.BLOCK;

  /** Monotonic. */
  long lastUsedNanos;

  /** Whether the mark, and the one on its way if there is one, cover a write with this token. */
  boolean isMarkedFrom(FencingToken token) {
    return mark != null
        && !mark.lowest().isAbove(token)
        && (nextLowest == null || !nextLowest.isAbove(token));
  }
}

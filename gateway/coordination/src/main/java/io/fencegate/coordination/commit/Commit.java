/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import io.fencegate.coordination.store.MemberResult;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.Generation;
import io.vertx.core.Future;
import java.util.function.Function;

/** What submitting a transaction came to. */
public sealed interface Commit {

  /**
   * It was judged under a live session and the present generation.
   *
   * @param revision the coordinator's when it was judged
   * @param repeated whether an earlier sending of it was in doubt, and may have been committed
   *     before
   */
  record Judged(long revision, Generation generation, MemberResult result, boolean repeated)
      implements Commit {}

  /** It was not committed and never will be. */
  record NotCommitted(Refusal refusal) implements Commit {}

  /** It may have been committed. */
  record InDoubt(String reason) implements Commit {}

  /** Goes on with the judgement; a refusal says what is known where there is none. */
  default <T> Future<Ruling<T>> ruling(Function<? super Judged, Future<Ruling<T>>> judged) {
    if (this instanceof Judged yes) {
      return judged.apply(yes);
    }
    return Future.succeededFuture(
        Ruling.refused(
            this instanceof NotCommitted no
                ? no.refusal()
                : RefusalCode.COORDINATOR_UNAVAILABLE
                    .because(((InDoubt) this).reason())
                    .inDoubt()));
  }
}

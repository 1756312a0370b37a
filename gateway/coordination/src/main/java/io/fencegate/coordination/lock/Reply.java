/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What came back on something that a waiting call sent: the event, and what an answer may need.
 *
 * @param refusal why it was refused, or is not known
 * @param won what this call, or another of its request, was granted
 */
record Reply(WaitEvent event, Optional<Refusal> refusal, Optional<Won> won) {

  /**
   * A grant.
   *
   * @param revision the lock's create revision
   * @param answer asks for how long the lease still lives
   */
  record Won(long revision, Supplier<Future<Ruling<Grant>>> answer) {}

  static Reply of(WaitEvent event) {
    return new Reply(event, Optional.empty(), Optional.empty());
  }

  static Reply granted(Won won) {
    return new Reply(WaitEvent.Plain.GRANTED, Optional.empty(), Optional.of(won));
  }

  static Reply decidedElsewhere(Won won) {
    return new Reply(WaitEvent.Plain.DECIDED_ELSEWHERE, Optional.empty(), Optional.of(won));
  }

  static Reply refused(Refusal refusal) {
    return new Reply(WaitEvent.Plain.REFUSED, Optional.of(refusal), Optional.empty());
  }

  static Reply inDoubt(Refusal refusal) {
    return new Reply(WaitEvent.Plain.IN_DOUBT, Optional.of(refusal), Optional.empty());
  }

  /**
   * What a submitted transaction came to.
   *
   * @param unknown makes a reply of what may have been committed
   */
  static Future<Reply> whenJudged(
      Commit commit,
      Function<Refusal, Reply> unknown,
      Function<Commit.Judged, Future<Reply>> judged) {
    if (commit instanceof Commit.Judged yes) {
      return judged.apply(yes);
    }
    return Future.succeededFuture(
        commit instanceof Commit.NotCommitted no
            ? refused(no.refusal())
            : unknown.apply(
                RefusalCode.COORDINATOR_UNAVAILABLE
                    .because(((Commit.InDoubt) commit).reason())
                    .inDoubt()));
  }
}

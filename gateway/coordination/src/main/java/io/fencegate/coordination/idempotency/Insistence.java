/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.idempotency;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.commit.CommitBatcher;
import io.fencegate.coordination.commit.Transaction;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;

/**
 * Submits a transaction again and again until it has been judged, for as long as the gateway lives:
 * the bridge from repeats to one future. How many there are at once is the caller's to bound. Used
 * from one context.
 */
final class Insistence {

  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final Vertx vertx;
  private final CommitBatcher commits;
  private final Clocks clocks;

  Insistence(Vertx vertx, CommitBatcher commits, Clocks clocks) {
    this.vertx = vertx;
    this.commits = commits;
    this.clocks = clocks;
  }

  /** Its judgement; never fails. */
  Future<Commit.Judged> on(Transaction transaction) {
    Promise<Commit.Judged> judged = Promise.promise();
    attempt(transaction, judged, FIRST_PAUSE.toMillis());
    return judged.future();
  }

  private void attempt(Transaction transaction, Promise<Commit.Judged> judged, long pauseMillis) {
    commits
        .submit(transaction, clocks.read().monotonicNanos() + PATIENCE.toNanos())
        .onSuccess(
            commit -> {
              if (commit instanceof Commit.Judged answer) {
                judged.complete(answer);
              } else {
                vertx.setTimer(
                    pauseMillis,
                    due ->
                        attempt(
                            transaction,
                            judged,
                            Math.min(2 * pauseMillis, LONGEST_PAUSE.toMillis())));
              }
            });
  }
}

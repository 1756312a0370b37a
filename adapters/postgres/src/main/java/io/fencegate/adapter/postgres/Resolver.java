/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.adapter.spi.ReconcileOutcome;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.concurrent.TimeUnit;

/**
 * Settles a write whose COMMIT was not answered: takes the write's id for itself. Where the write
 * has committed its row is found; where its transaction is still open the database makes this one
 * wait for it; where this one wins, the late COMMIT can only fail on the taken id. One id per
 * transaction: two would deadlock with others.
 */
final class Resolver {

  private static final String CANCEL =
      "SELECT set_config('lock_timeout', $2, true), fencegate.cancel($1)";

  /** The longest that one attempt waits for the open transaction; then it asks anew. */
  private static final long LOCK_MILLIS = 1_000;

  /** Between two attempts: the database may be restarting. Doubled up to the longest. */
  private static final long FIRST_PAUSE_MILLIS = 25;

  private static final long LONGEST_PAUSE_MILLIS = 400;

  private final Vertx vertx;
  private final Clocks clocks;
  private final Connections connections;

  Resolver(Vertx vertx, Clocks clocks, Connections connections) {
    this.vertx = vertx;
    this.clocks = clocks;
    this.connections = connections;
  }

  /** Never fails; tries until the deadline. */
  Future<ReconcileOutcome> resolve(String writeId, long deadlineNanos) {
    if (!WriteIds.isOne(writeId)) {
      return Future.succeededFuture(
          new ReconcileOutcome.StillUnknown("this is no write id of this adapter"));
    }
    return attempt(writeId, deadlineNanos, FIRST_PAUSE_MILLIS);
  }

  private Future<ReconcileOutcome> attempt(String writeId, long deadlineNanos, long pauseMillis) {
    return connections
        .lend(
            Connections.Errand.urgent(deadlineNanos),
            session -> cancel(session, writeId, deadlineNanos))
        .transform(answer -> next(answer, writeId, deadlineNanos, pauseMillis));
  }

  private Future<String> cancel(Session session, String writeId, long deadlineNanos) {
    long left = clocks.read().millisUntil(deadlineNanos);
    long lockMillis = Math.max(1, Math.min(LOCK_MILLIS, left / 2));
    Future<RowSet<Row>> answer = session.call(CANCEL, Tuple.of(writeId, lockMillis + "ms"));
    return Within.millis(answer, left)
        .onFailure(failure -> session.destroy())
        .map(rows -> rows.iterator().next().getString(1));
  }

  private Future<ReconcileOutcome> next(
      AsyncResult<String> answer, String writeId, long deadlineNanos, long pauseMillis) {
    if (answer.succeeded()) {
      return Future.succeededFuture(
          answer.result().equals("applied")
              ? new ReconcileOutcome.Applied()
              : new ReconcileOutcome.NeverApplied());
    }
    if (PgFailures.state(answer.cause()).equals(SqlStates.WRITE_ID_AGE)) {
      return Future.succeededFuture(
          new ReconcileOutcome.StillUnknown("the write is too old: its record may be gone"));
    }
    ClockReading now = clocks.read();
    if (now.millisUntil(deadlineNanos) <= pauseMillis) {
      return Future.succeededFuture(
          new ReconcileOutcome.StillUnknown("the database could not be asked in time"));
    }
    long longer = Math.min(LONGEST_PAUSE_MILLIS, pauseMillis * 2);
    return vertx
        .timer(pauseMillis, TimeUnit.MILLISECONDS)
        .compose(due -> attempt(writeId, deadlineNanos, longer));
  }
}

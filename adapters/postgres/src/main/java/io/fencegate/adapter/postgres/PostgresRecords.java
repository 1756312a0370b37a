/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.adapter.spi.KeyScope;
import io.fencegate.adapter.spi.OutcomeRecords;
import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The outcomes of keyed writes, in the rows that the writes' own transactions inserted. */
final class PostgresRecords implements OutcomeRecords {

  private static final String LOOK_UP = "SELECT * FROM fencegate.look_up($1, $2, $3)";
  private static final String CLOSE = "SELECT * FROM fencegate.close_key($1, $2, $3, $4, $5)";

  /** Between two looks at a door that an open write holds. */
  private static final long PAUSE_MILLIS = 50;

  private final Vertx vertx;
  private final Clocks clocks;
  private final Connections connections;
  private final Schema schema;
  private final WriteIds ids;

  PostgresRecords(
      Vertx vertx, Clocks clocks, Connections connections, Schema schema, WriteIds ids) {
    this.vertx = vertx;
    this.clocks = clocks;
    this.connections = connections;
    this.schema = schema;
    this.ids = ids;
  }

  @Override
  public Future<Ruling<RecordedWrite>> lookUp(KeyScope scope, long deadlineNanos) {
    return ask(deadlineNanos, session -> session.call(LOOK_UP, keyOf(Tuple.tuple(), scope)));
  }

  @Override
  public Future<Ruling<RecordedWrite>> close(
      KeyScope scope, Duration retention, long deadlineNanos) {
    return ask(deadlineNanos, session -> closeOnce(session, scope, retention))
        .compose(
            ruling ->
                isHeld(ruling) && clocks.read().millisUntil(deadlineNanos) > PAUSE_MILLIS
                    ? vertx
                        .timer(PAUSE_MILLIS, TimeUnit.MILLISECONDS)
                        .compose(due -> close(scope, retention, deadlineNanos))
                    : Future.succeededFuture(ruling));
  }

  private Future<RowSet<Row>> closeOnce(Session session, KeyScope scope, Duration retention) {
    return session
        .clock(clocks.read())
        .compose(
            micros ->
                session.call(
                    CLOSE, keyOf(Tuple.of(ids.next(micros)), scope).addLong(retention.toMillis())));
  }

  private static boolean isHeld(Ruling<RecordedWrite> ruling) {
    return ruling.fold(RecordedWrite.InFlight.class::isInstance, refused -> false);
  }

  private static Tuple keyOf(Tuple tuple, KeyScope scope) {
    return tuple
        .addString(scope.resource().value())
        .addString(scope.caller())
        .addString(scope.key().value());
  }

  private Future<Ruling<RecordedWrite>> ask(
      long deadlineNanos, Function<Session, Future<RowSet<Row>>> question) {
    return schema
        .ready(deadlineNanos)
        .compose(
            there ->
                connections.lend(
                    Connections.Errand.own(deadlineNanos),
                    session -> bounded(session, deadlineNanos, question)))
        .map(rows -> Ruling.granted(RecordRows.read(rows.iterator().next())))
        .otherwise(PostgresRecords::unread);
  }

  private Future<RowSet<Row>> bounded(
      Session session, long deadlineNanos, Function<Session, Future<RowSet<Row>>> question) {
    long left = clocks.read().millisUntil(deadlineNanos);
    return Within.millis(question.apply(session), left).onFailure(failure -> session.destroy());
  }

  private static Ruling<RecordedWrite> unread(Throwable failure) {
    return Ruling.refused(
        failure instanceof PgFailures.Refused no
            ? no.refusal()
            : RefusalCode.DOWNSTREAM_UNAVAILABLE.because(
                "the records could not be read: " + PgFailures.message(failure)));
  }
}

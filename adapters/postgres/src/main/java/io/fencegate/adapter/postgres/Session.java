/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.policy.time.ClockReading;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.ClosedConnectionException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Transaction;
import io.vertx.sqlclient.Tuple;
import io.vertx.sqlclient.impl.SocketConnectionBase;
import io.vertx.sqlclient.internal.SqlConnectionInternal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One connection. What is asked for in a row travels in a row, without waiting for answers. Once
 * destroyed nothing more is sent, whatever is still going on. One context, no locks.
 */
final class Session {

  private static final String CLOCK =
      "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

  /** Well below the age at which the guard refuses an id that starts with an old reading. */
  private static final Duration CLOCK_GOOD_FOR = Duration.ofMinutes(5);

  private final PgConnection connection;
  private boolean open = true;
  private @Nullable Transaction transaction;
  private long clockMicros;
  private long clockReadNanos;

  private Session(PgConnection connection) {
    this.connection = connection;
    connection.closeHandler(closed -> open = false);
    connection.exceptionHandler(broken -> destroy());
    // What a trigger may say goes to nobody: it can hold the caller's data, logs must not.
    connection.noticeHandler(unheard -> {});
  }

  /** Connects; to be bounded by the caller, who destroys a session that comes too late. */
  static Future<Session> connect(Vertx vertx, PgConnectOptions options) {
    return PgConnection.connect(vertx, options).map(Session::new);
  }

  boolean isOpen() {
    return open;
  }

  /** Open, and no transaction whose end is not known: fit for the next one. */
  boolean isReusable() {
    return open && transaction == null;
  }

  /** A prepared statement. */
  Future<RowSet<Row>> call(String sql, Tuple arguments) {
    return open ? connection.preparedQuery(sql).execute(arguments) : closed();
  }

  /** Several statements without parameters, in one message. */
  Future<RowSet<Row>> script(String sql) {
    return open ? connection.query(sql).execute() : closed();
  }

  Future<Void> begin() {
    return open ? connection.begin().map(this::begun) : closed();
  }

  private @Nullable Void begun(Transaction started) {
    transaction = started;
    return null;
  }

  /** Hands COMMIT to the connection at once; only an answer that says COMMIT succeeds. */
  Future<Void> commit() {
    Transaction mine = transaction;
    return open && mine != null ? mine.commit().onSuccess(done -> ended()) : closed();
  }

  Future<Void> rollback() {
    Transaction mine = transaction;
    return open && mine != null ? mine.rollback().onSuccess(done -> ended()) : closed();
  }

  /** The server said that the transaction has ended. */
  void ended() {
    transaction = null;
  }

  /** The database's clock as last read here, in microseconds; read anew when that is long ago. */
  Future<Long> clock(ClockReading now) {
    if (clockReadNanos != 0 && now.isBefore(clockReadNanos + CLOCK_GOOD_FOR.toNanos())) {
      return Future.succeededFuture(clockMicros);
    }
    return call(CLOCK, Tuple.tuple()).map(rows -> clockWas(firstLong(rows), now));
  }

  /** The clock came along with another answer. */
  long clockWas(long micros, ClockReading now) {
    clockMicros = micros;
    clockReadNanos = now.monotonicNanos();
    return micros;
  }

  /** The reading led to an id that the database did not take: read it anew next time. */
  void forgetClock() {
    clockReadNanos = 0;
  }

  static long firstLong(RowSet<Row> rows) {
    return rows.iterator().next().getLong(0);
  }

  /**
   * Closes the socket under the connection. Closing the connection itself would first wait for the
   * answers that are outstanding, which may never come.
   */
  void destroy() {
    if (!open) {
      return;
    }
    open = false;
    if (((SqlConnectionInternal) connection).unwrap() instanceof SocketConnectionBase raw) {
      raw.socket().close().onComplete(closed -> connection.close());
    } else {
      connection.close();
    }
  }

  private static <T> Future<T> closed() {
    return Future.failedFuture(ClosedConnectionException.INSTANCE);
  }
}

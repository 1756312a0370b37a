/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.ledger.postgres;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.ClosedConnectionException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import io.vertx.sqlclient.impl.SocketConnectionBase;
import io.vertx.sqlclient.internal.SqlConnectionInternal;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * One connection, on which statements travel behind each other without waiting for answers. Each is
 * a transaction of its own. Once destroyed nothing more is sent. One context, no locks.
 */
final class Line {

  /** The longest that one attempt to connect may take. */
  private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(2);

  private final Future<PgConnection> connecting;
  private boolean open = true;
  private int busy;

  private Line(Future<PgConnection> connecting) {
    this.connecting = connecting;
  }

  static Line connect(Vertx vertx, PgConnectOptions options) {
    Future<PgConnection> raw = PgConnection.connect(vertx, options);
    Line line = new Line(raw.timeout(CONNECT_PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
    raw.onSuccess(line::connected);
    line.connecting.onFailure(failure -> line.destroy());
    return line;
  }

  private void connected(PgConnection connection) {
    if (!open) {
      close(connection);
      return;
    }
    connection.closeHandler(closed -> open = false);
    connection.exceptionHandler(broken -> destroy());
    // What the server may have to say goes to nobody: it can hold names, logs must not.
    connection.noticeHandler(unheard -> {});
  }

  boolean isOpen() {
    return open;
  }

  /** Statements that are waiting for their answer. */
  int busy() {
    return busy;
  }

  /**
   * A prepared statement.
   *
   * @param patienceMillis after which it counts as failed, with a {@code TimeoutException}; what
   *     was sent may still be carried out
   */
  Future<RowSet<Row>> call(String sql, Tuple arguments, long patienceMillis) {
    return counted(
        connecting
            .compose(it -> open ? it.preparedQuery(sql).execute(arguments) : closed())
            .timeout(Math.max(1, patienceMillis), TimeUnit.MILLISECONDS));
  }

  /** Several statements without parameters, in one message. */
  Future<RowSet<Row>> script(String sql, long patienceMillis) {
    return counted(
        connecting
            .compose(it -> open ? it.query(sql).execute() : closed())
            .timeout(Math.max(1, patienceMillis), TimeUnit.MILLISECONDS));
  }

  private Future<RowSet<Row>> counted(Future<RowSet<Row>> answer) {
    busy++;
    return answer.onComplete(done -> busy--);
  }

  void destroy() {
    if (!open) {
      return;
    }
    open = false;
    connecting.onSuccess(Line::close);
  }

  /**
   * Closes the socket under the connection. Closing the connection itself would first wait for the
   * answers that are outstanding, which may never come.
   */
  private static void close(PgConnection connection) {
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

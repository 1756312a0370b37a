/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.policy.time.Clocks;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forgets records whose time is over, by the database's clock, in small steps beside the writes.
 * Rows of writes without a key are kept for 2 h: ids are taken by a write up to an age of 30 min
 * and can be asked for up to one hour, so that a row that somebody may still need is never gone,
 * with as much again for clocks that moved in a failover.
 */
final class Purger {

  private static final Logger LOG = LoggerFactory.getLogger(Purger.class);

  private static final String PURGE = "SELECT fencegate.purge($1)";

  /** Rows of one transaction: short enough to hold nobody up. */
  private static final int BATCH = 1_000;

  /** Transactions of one round: with the pause between rounds up to 40,000 rows a minute. */
  private static final int MOST_BATCHES = 20;

  /** Between two rounds. */
  static final Duration PAUSE = Duration.ofSeconds(30);

  private static final Duration LONGEST = Duration.ofSeconds(10);

  private final Vertx vertx;
  private final Clocks clocks;
  private final Connections connections;
  private final Duration pause;
  private @Nullable Long timer;
  private boolean failing;
  private boolean closed;

  /**
   * A purger that has not begun.
   *
   * @param pause between two rounds, at least a millisecond
   */
  Purger(Vertx vertx, Clocks clocks, Connections connections, Duration pause) {
    this.vertx = vertx;
    this.clocks = clocks;
    this.connections = connections;
    this.pause = pause;
  }

  /** Begins to purge from time to time; once. */
  void start() {
    if (timer == null && !closed) {
      timer = vertx.setTimer(pause.toMillis(), due -> round());
    }
  }

  /** Failures wait for the next round: no write depends on a purge. */
  private void round() {
    purge(MOST_BATCHES)
        .onComplete(
            done -> {
              tell(done);
              timer = null;
              start();
            });
  }

  /** Once per series of failures: a role that may not purge would fill the log otherwise. */
  private void tell(AsyncResult<Void> done) {
    if (done.failed() == failing || closed) {
      return;
    }
    failing = done.failed();
    if (failing) {
      LOG.warn(
          "records whose time is over can not be deleted and pile up in fencegate.writes: {}",
          PgFailures.ofOwn(done.cause()).detail());
    } else {
      LOG.info("records whose time is over are deleted again");
    }
  }

  /** Purges in at most so many steps. */
  Future<Void> purge(int batches) {
    if (batches == 0 || closed) {
      return Future.succeededFuture();
    }
    return step().compose(gone -> gone < BATCH ? Future.succeededFuture() : purge(batches - 1));
  }

  private Future<Long> step() {
    long deadlineNanos = clocks.read().monotonicNanos() + LONGEST.toNanos();
    return connections.lend(
        Connections.Errand.own(deadlineNanos),
        session ->
            Within.millis(session.call(PURGE, Tuple.of(BATCH)), LONGEST.toMillis())
                .onFailure(failure -> session.destroy())
                .map(Session::firstLong));
  }

  void close() {
    closed = true;
    if (timer != null) {
      vertx.cancelTimer(timer);
    }
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.ledger.postgres;

import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The connections to one ledger. A call goes to the one that is least busy; where that breaks, or
 * does not answer, it goes to another once more, since everything that is asked for here may be
 * asked for again. So the loss of one connection is no outage. One context, no locks.
 */
final class Lines {

  /**
   * Statements on one line commit one after another, those on several together; more than so many
   * gain nothing on one disk.
   */
  static final int MAX_LINES = 4;

  /** Calls that wait for an answer; seconds' worth of a database's commits. */
  static final int MAX_CALLS = 1_000;

  /** A line that keeps a call waiting for so long counts as broken. */
  static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final int ATTEMPTS = 2;

  private final Vertx vertx;
  private final Clocks clocks;
  private final LedgerSettings settings;
  private final List<Line> lines = new ArrayList<>();
  private int calls;
  private boolean closed;

  Lines(Vertx vertx, Clocks clocks, LedgerSettings settings) {
    this.vertx = vertx;
    this.clocks = clocks;
    this.settings = settings;
  }

  /** What is asked of a line, within so many milliseconds. */
  @FunctionalInterface
  interface Errand {
    Future<RowSet<Row>> run(Line line, long patienceMillis);
  }

  /** One statement, which is a transaction. Fails with what {@link LedgerFailures} sorts. */
  Future<RowSet<Row>> call(String sql, Tuple arguments, long deadlineNanos) {
    return run((line, patience) -> line.call(sql, arguments, patience), deadlineNanos);
  }

  /** The same for anything that may be sent twice. */
  Future<RowSet<Row>> run(Errand errand, long deadlineNanos) {
    if (calls >= MAX_CALLS) {
      return Future.failedFuture(
          new LedgerFailures.Unusable("more than " + MAX_CALLS + " calls wait for its answer"));
    }
    calls++;
    return attempt(errand, deadlineNanos, ATTEMPTS).onComplete(done -> calls--);
  }

  private Future<RowSet<Row>> attempt(Errand errand, long deadlineNanos, int attemptsLeft) {
    long leftMillis = clocks.read().millisUntil(deadlineNanos);
    if (closed || leftMillis <= 0) {
      return Future.failedFuture(
          new LedgerFailures.Unusable(closed ? "it was closed" : "there was no time to ask it"));
    }
    Line line = line();
    return errand
        .run(line, Math.min(PATIENCE.toMillis(), leftMillis))
        .recover(failure -> failed(line, failure, errand, deadlineNanos, attemptsLeft - 1));
  }

  private Future<RowSet<Row>> failed(
      Line line, Throwable failure, Errand errand, long deadlineNanos, int attemptsLeft) {
    if (!LedgerFailures.isOfConnection(failure)) {
      return Future.failedFuture(failure);
    }
    line.destroy();
    return attemptsLeft == 0 || clocks.read().millisUntil(deadlineNanos) <= 0
        ? Future.failedFuture(failure)
        : attempt(errand, deadlineNanos, attemptsLeft);
  }

  private Line line() {
    lines.removeIf(line -> !line.isOpen());
    Optional<Line> least = lines.stream().min(Comparator.comparingInt(Line::busy));
    if (least.isPresent() && (least.get().busy() == 0 || lines.size() == MAX_LINES)) {
      return least.get();
    }
    Line fresh = Line.connect(vertx, settings.connectOptions());
    lines.add(fresh);
    return fresh;
  }

  void close() {
    closed = true;
    lines.forEach(Line::destroy);
    lines.clear();
  }
}

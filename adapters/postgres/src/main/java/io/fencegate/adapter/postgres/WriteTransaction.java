/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.FencedWrite;
import io.fencegate.adapter.spi.KeyClaim;
import io.fencegate.adapter.spi.OperationCall;
import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One write on one connection: BEGIN, limits, claim of the key, guard | statements | record |
 * COMMIT, where {@code |} is a wait for answers. Until COMMIT has been handed to the connection
 * every failure is a definite no, because a transaction without COMMIT is rolled back; after it
 * only a clear word of the database counts.
 */
final class WriteTransaction {

  private static final String CLAIM = "SELECT * FROM fencegate.claim($1, $2, $3)";
  private static final String RECORD =
      "SELECT fencegate.record($1, $2, $3, $4, $5, $6, $7, $8)::text";

  /** How long a rollback may keep a caller waiting whose answer is known already. */
  private static final long ROLLBACK_MILLIS = 500;

  /**
   * Of what is left to the deadline: waiting for a lock may take 3/4, so that it is told apart from
   * a slow statement; the session may idle for 1/2, so that a transaction whose gateway is paused
   * or cut off ends while its outcome can still be found out in time; COMMIT may take 2/3, so that
   * there is time to ask what became of it.
   */
  private static final double LOCK_PART = 0.75;

  private static final double IDLE_PART = 0.5;
  private static final double COMMIT_PART = 0.67;
  private static final long LEAST_MILLIS = 50;

  /** What the statements came to before COMMIT. */
  private sealed interface Verdict {
    record Stop(ApplyOutcome outcome) implements Verdict {}

    record Go(String resultsJson) implements Verdict {}
  }

  /** What is to be written, by whom, and under which id its outcome is found. */
  record Order(Admission admission, FencedWrite write, String writeId) {}

  private final Session session;
  private final Clocks clocks;
  private final BoundOperations operations;
  private final Admission admission;
  private final FencedWrite write;
  private final String writeId;

  WriteTransaction(Session session, Clocks clocks, BoundOperations operations, Order order) {
    this.session = session;
    this.clocks = clocks;
    this.operations = operations;
    this.admission = order.admission();
    this.write = order.write();
    this.writeId = order.writeId();
  }

  /** Never fails. */
  Future<WriteEnd> run() {
    return Within.millis(untilCommit(), millisLeft()).transform(this::end);
  }

  private long millisLeft() {
    return clocks.read().millisUntil(write.deadlineNanos());
  }

  private Future<WriteEnd> end(AsyncResult<Verdict> before) {
    if (before.failed()) {
      return giveUp(before.cause());
    }
    return before.result() instanceof Verdict.Go go
        ? commit(go.resultsJson())
        : rollback(((Verdict.Stop) before.result()).outcome());
  }

  /** Destroying first makes sure that nothing of the chain that was given up sends COMMIT. */
  private Future<WriteEnd> giveUp(Throwable failure) {
    if (failure instanceof TimeoutException || PgFailures.isOutdatedPlan(failure)) {
      session.destroy();
    }
    return rollback(new ApplyOutcome.Rejected(PgFailures.ofStatement(failure)));
  }

  private Future<WriteEnd> rollback(ApplyOutcome outcome) {
    return Within.millis(session.rollback(), ROLLBACK_MILLIS)
        .transform(
            done -> {
              if (done.failed()) {
                session.destroy();
              }
              return Future.succeededFuture(new WriteEnd.Certain(outcome));
            });
  }

  private Future<Verdict> untilCommit() {
    Future<Void> begun = session.begin();
    Future<RowSet<Row>> limits = session.script(limits());
    KeyClaim claim = write.claim();
    Future<@Nullable RowSet<Row>> claimed =
        claim == null ? Future.succeededFuture(null) : session.call(CLAIM, keyOf(claim));
    Future<RowSet<Row>> guarded = admission.ask(session, writeId);
    return own(begun.compose(in -> limits))
        .compose(in -> own(claimed))
        .compose(found -> afterClaim(found, guarded));
  }

  private String resource() {
    return admission.resource().value();
  }

  private static Tuple keyOf(KeyClaim claim) {
    return Tuple.of(
        claim.scope().resource().value(), claim.scope().caller(), claim.scope().key().value());
  }

  /** A role's defaults do not count: what matters is said in every transaction. */
  private String limits() {
    long left = Math.max(LEAST_MILLIS, millisLeft());
    return "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;"
        + "SET LOCAL lock_timeout = "
        + part(left, LOCK_PART)
        + ";SET LOCAL statement_timeout = "
        + left
        + ";SET LOCAL idle_in_transaction_session_timeout = "
        + part(left, IDLE_PART);
  }

  private static long part(long millis, double part) {
    return Math.max(LEAST_MILLIS, (long) (millis * part));
  }

  /** What is recorded answers before the guard does, even if the token is stale by now. */
  private Future<Verdict> afterClaim(@Nullable RowSet<Row> claimed, Future<RowSet<Row>> guarded) {
    KeyClaim claim = write.claim();
    if (claim != null && claimed != null) {
      Row row = claimed.iterator().next();
      ApplyOutcome known = ofRecord(claim, RecordRows.read(row));
      if (known != null) {
        return Future.succeededFuture(new Verdict.Stop(known));
      }
    }
    return guarded.transform(this::afterGuard);
  }

  private static @Nullable ApplyOutcome ofRecord(KeyClaim claim, RecordedWrite found) {
    if (found instanceof RecordedWrite.Applied applied) {
      return applied.fingerprint().equals(claim.fingerprint())
          ? new ApplyOutcome.Replayed(applied)
          : new ApplyOutcome.Rejected(reused("came with another request before"));
    }
    if (found instanceof RecordedWrite.Closed) {
      return new ApplyOutcome.Rejected(reused("was closed before any write with it"));
    }
    return found instanceof RecordedWrite.InFlight
        ? new ApplyOutcome.Rejected(
            RefusalCode.IN_FLIGHT.because("a write with this Idempotency-Key is under way"))
        : null;
  }

  private static Refusal reused(String what) {
    return RefusalCode.IDEMPOTENCY_KEY_REUSED.because(
        "this Idempotency-Key " + what + ", expected a fresh one");
  }

  private Future<Verdict> afterGuard(AsyncResult<RowSet<Row>> guarded) {
    if (guarded.succeeded()) {
      session.clockWas(Session.firstLong(guarded.result()), clocks.read());
      return statements();
    }
    return switch (PgFailures.state(guarded.cause())) {
      case SqlStates.STALE -> stop(new ApplyOutcome.Stale(epochOf(guarded.cause())));
      case SqlStates.RAISE_FIRST -> stop(new ApplyOutcome.SealFirst());
      default -> {
        session.forgetClock();
        yield stop(new ApplyOutcome.Rejected(PgFailures.ofOwn(guarded.cause())));
      }
    };
  }

  static FencingToken epochOf(Throwable refusal) {
    return new FencingToken(Long.parseLong(((PgException) refusal).getDetail()));
  }

  private static Future<Verdict> stop(ApplyOutcome outcome) {
    return Future.succeededFuture(new Verdict.Stop(outcome));
  }

  /** Without a key nothing depends on the results, so the record travels behind the statements. */
  private Future<Verdict> statements() {
    List<Future<RowSet<Row>>> answers = new ArrayList<>();
    for (OperationCall call : write.content().calls()) {
      BoundOperation bound = operations.of(call.operation());
      answers.add(
          session.call(bound.sql(), bound.tuple(write.content().variables(), call.params())));
    }
    Future<RowSet<Row>> recorded = write.claim() == null ? record(null) : Future.succeededFuture();
    return results(answers)
        .compose(
            results ->
                own(write.claim() == null ? recorded : record(results))
                    .map(done -> new Verdict.Go(results)));
  }

  private Future<String> results(List<Future<RowSet<Row>>> answers) {
    ResultJson json = new ResultJson();
    Future<Void> soFar = Future.succeededFuture();
    for (int i = 0; i < answers.size(); i++) {
      OperationCall call = write.content().calls().get(i);
      Future<RowSet<Row>> answer = answers.get(i);
      soFar = soFar.compose(before -> answer).map(rows -> add(json, call, rows));
    }
    return soFar.map(all -> json.text());
  }

  private static @Nullable Void add(ResultJson json, OperationCall call, RowSet<Row> rows) {
    long touched = ResultJson.rowCount(rows);
    long least = call.operation().minRows();
    String name = call.operation().name().value();
    if (touched < least) {
      throw new PgFailures.Refused(
          RefusalCode.OPERATION_FAILED.because(
              name + " touched " + touched + " rows, expected at least " + least));
    }
    json.add(name, rows);
    return null;
  }

  private Future<RowSet<Row>> record(@Nullable String results) {
    KeyClaim claim = write.claim();
    FencingToken token = admission.token();
    Tuple row = Tuple.of(writeId, resource()).addLong(token == null ? null : token.value());
    if (claim == null) {
      row.addString(null).addString(null).addString(null).addString(null).addLong(null);
    } else {
      row.addString(claim.scope().caller())
          .addString(claim.scope().key().value())
          .addString(claim.fingerprint())
          .addString(results)
          .addLong(claim.retention().toMillis());
    }
    return session.call(RECORD, row);
  }

  /** A failure of the adapter's own statements is not the caller's fault. */
  private static <T extends @Nullable Object> Future<T> own(Future<T> answer) {
    return answer.recover(
        failure -> Future.failedFuture(new PgFailures.Refused(PgFailures.ofOwn(failure))));
  }

  private Future<WriteEnd> commit(String results) {
    if (millisLeft() == 0) {
      return rollback(
          new ApplyOutcome.Rejected(
              RefusalCode.DOWNSTREAM_BUSY.because(
                  "the write's time was up before COMMIT was sent; it was rolled back")));
    }
    if (!session.isOpen()) {
      return rollback(
          new ApplyOutcome.Rejected(
              RefusalCode.DOWNSTREAM_UNAVAILABLE.because(
                  "the connection to the database broke before COMMIT was sent")));
    }
    return Within.millis(session.commit(), part(millisLeft(), COMMIT_PART))
        .transform(answer -> Future.succeededFuture(committed(answer, results)));
  }

  private WriteEnd committed(AsyncResult<Void> answer, String results) {
    if (answer.succeeded()) {
      return new WriteEnd.Certain(new ApplyOutcome.Applied(results));
    }
    session.destroy();
    Throwable failure = answer.cause();
    return PgFailures.leavesCommitInDoubt(failure)
        ? new WriteEnd.InDoubt(writeId, results, "COMMIT was sent, its answer did not arrive")
        : new WriteEnd.Certain(new ApplyOutcome.Rejected(PgFailures.ofCommit(failure)));
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Fencegate's schema in the database: looked at on first use, created where it is missing and that
 * is wanted.
 */
final class Schema {

  /** The version that this code works with. */
  static final int VERSION = 1;

  private static final String LOOK = "SELECT fencegate.version()";

  /** Several gateways may start at once: one creates, the others wait for it. */
  private static final String ALONE = "SELECT pg_advisory_xact_lock(4242010101)::text";

  /** For looking and creating, whoever asks first and however little time that one has. */
  private static final Duration LOOK_BUDGET = Duration.ofSeconds(10);

  private final Clocks clocks;
  private final Connections connections;
  private final boolean install;
  private @Nullable Future<Void> ready;

  Schema(Clocks clocks, Connections connections, boolean install) {
    this.clocks = clocks;
    this.connections = connections;
    this.install = install;
  }

  /** What creates the schema. */
  static String ddl() {
    try (InputStream in = Schema.class.getResourceAsStream("schema.sql")) {
      if (in == null) {
        throw new IllegalStateException("schema.sql is missing in the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Completes when the schema is there; fails with {@link PgFailures.Refused}. Looked for once;
   * after a failure the next caller looks again.
   */
  Future<Void> ready(long deadlineNanos) {
    Future<Void> looking = ready;
    if (looking != null && !looking.failed()) {
      return within(looking, deadlineNanos);
    }
    long lookUntilNanos = clocks.read().monotonicNanos() + LOOK_BUDGET.toNanos();
    Future<Void> started =
        connections.lend(
            Connections.Errand.own(lookUntilNanos), session -> look(session, lookUntilNanos));
    ready = started;
    return within(started, deadlineNanos);
  }

  private Future<Void> within(Future<Void> looking, long deadlineNanos) {
    return Within.millis(looking, clocks.read().millisUntil(deadlineNanos))
        .recover(failure -> Future.failedFuture(refused(PgFailures.ofOwn(failure))));
  }

  private Future<Void> look(Session session, long deadlineNanos) {
    Future<RowSet<Row>> version = session.call(LOOK, Tuple.tuple());
    long left = clocks.read().millisUntil(deadlineNanos);
    return Within.millis(version.transform(found -> judge(session, found)), left)
        .onFailure(failure -> session.destroy())
        .recover(failure -> Future.failedFuture(refused(PgFailures.ofOwn(failure))));
  }

  private Future<Void> judge(Session session, AsyncResult<RowSet<Row>> found) {
    if (found.succeeded()) {
      return check(found.result());
    }
    if (!SqlStates.isNotInstalled(PgFailures.state(found.cause()))) {
      return Future.failedFuture(found.cause());
    }
    return install
        ? create(session)
        : Future.failedFuture(
            refused(
                RefusalCode.DOWNSTREAM_UNAVAILABLE.because(
                    "the schema fencegate is missing in the database and 'install' is false:"
                        + " run 'fencegate sql install' and apply what it prints")));
  }

  private static Future<Void> check(RowSet<Row> found) {
    Integer version = found.iterator().next().getInteger(0);
    return version != null && version == VERSION
        ? Future.succeededFuture()
        : Future.failedFuture(
            refused(
                RefusalCode.DOWNSTREAM_UNAVAILABLE.because(
                    "the schema fencegate has version " + version + ", expected " + VERSION)));
  }

  private static Future<Void> create(Session session) {
    Future<Void> begun = session.begin();
    Future<RowSet<Row>> alone = session.script(ALONE);
    Future<RowSet<Row>> created = session.script(ddl());
    return begun
        .compose(in -> alone)
        .compose(in -> created)
        .compose(done -> session.commit())
        .compose(done -> session.call(LOOK, Tuple.tuple()))
        .compose(Schema::check);
  }

  private static PgFailures.Refused refused(Refusal refusal) {
    return new PgFailures.Refused(refusal);
  }
}

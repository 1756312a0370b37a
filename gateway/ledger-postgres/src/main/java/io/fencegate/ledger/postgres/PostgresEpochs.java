/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.ledger.postgres;

import io.fencegate.coordination.epoch.EpochStore;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The ledger of epochs in a PostgreSQL. Connects when it is first asked. Each answer says which
 * ledger it comes from; one from another than at first, as behind an address that now leads
 * elsewhere, counts for nothing. Used from one context.
 */
public final class PostgresEpochs implements EpochStore {

  private static final String LOOK = "SELECT * FROM fencegate_ledger.look($1)";
  private static final String RAISE = "SELECT * FROM fencegate_ledger.raise_epoch($1, $2, $3)";
  private static final String CONFIRM = "SELECT * FROM fencegate_ledger.confirm($1, $2)";
  private static final String FORGET_CONFIRMED =
      "SELECT * FROM fencegate_ledger.forget_confirmed($1)";
  private static final String FORGET = "SELECT * FROM fencegate_ledger.forget_epoch($1, $2, $3)";

  private final Lines lines;
  private final LedgerSchema schema;
  private final Clocks clocks;
  private final String place;

  public PostgresEpochs(Vertx vertx, Clocks clocks, LedgerSettings settings) {
    this.lines = new Lines(vertx, clocks, settings);
    this.schema = new LedgerSchema(clocks, lines, settings.install());
    this.clocks = clocks;
    this.place = settings.place();
  }

  @Override
  public Future<Ruling<String>> identity(long deadlineNanos) {
    return ruling(identityBy(deadlineNanos));
  }

  @Override
  public Future<Ruling<Optional<Kept>>> look(ResourceName resource, long deadlineNanos) {
    return ask(
        LOOK,
        Tuple.of(resource.value()),
        deadlineNanos,
        row ->
            present(row.getBoolean("o_found"))
                ? Optional.of(new Kept(epoch(row), confirmed(row)))
                : Optional.empty());
  }

  @Override
  public Future<Ruling<Raise>> raise(
      ResourceName resource, EpochRecord record, long deadlineNanos) {
    return ask(
        RAISE,
        Tuple.of(resource.value(), record.raised().value(), record.source()),
        deadlineNanos,
        row -> raise(record, row));
  }

  private static Raise raise(EpochRecord record, Row row) {
    EpochRecord found = epoch(row);
    return switch (present(row.getString("o_verdict"))) {
      case "raised" -> {
        // The words and the number have to say the same.
        if (!found.raised().equals(record.raised()) || !found.comparesWith(record)) {
          throw new LedgerFailures.Unusable("it says 'raised' of epoch " + found.raised());
        }
        yield new Raise.Raised(confirmed(row));
      }
      case "higher" -> new Raise.Higher(found);
      case "other-source" -> new Raise.OtherSource(found);
      default -> throw new LedgerFailures.Unusable("its answer is not one of this version");
    };
  }

  @Override
  public Future<Ruling<FencingToken>> confirm(
      ResourceName resource, FencingToken token, long deadlineNanos) {
    return ask(
        CONFIRM,
        Tuple.of(resource.value(), token.value()),
        deadlineNanos,
        row ->
            confirmed(row)
                .filter(it -> !it.isBelow(token))
                .orElseThrow(
                    () ->
                        new LedgerFailures.Unusable(
                            "it has no epoch of the resource that token " + token + " is within")));
  }

  @Override
  public Future<Ruling<Boolean>> forgetConfirmed(ResourceName resource, long deadlineNanos) {
    return ask(
        FORGET_CONFIRMED,
        Tuple.of(resource.value()),
        deadlineNanos,
        row -> present(row.getBoolean("o_gone")));
  }

  @Override
  public Future<Ruling<Boolean>> forget(
      ResourceName resource, EpochRecord seen, long deadlineNanos) {
    return ask(
        FORGET,
        Tuple.of(resource.value(), seen.raised().value(), seen.source()),
        deadlineNanos,
        row -> present(row.getBoolean("o_gone")));
  }

  @Override
  public Future<Void> close() {
    lines.close();
    return Future.succeededFuture();
  }

  // ---- asking

  private <T> Future<Ruling<T>> ask(
      String sql, Tuple arguments, long deadlineNanos, Function<Row, T> reader) {
    return ruling(
        identityBy(deadlineNanos)
            .compose(
                identity ->
                    lines
                        .call(sql, arguments, deadlineNanos)
                        .map(rows -> reader.apply(only(rows, identity)))));
  }

  /** Looking for the schema goes on for whoever asks next. */
  private Future<String> identityBy(long deadlineNanos) {
    Future<String> identity = schema.identity();
    long leftMillis = Math.max(1, clocks.read().millisUntil(deadlineNanos));
    return identity.isComplete() ? identity : identity.timeout(leftMillis, TimeUnit.MILLISECONDS);
  }

  private <T> Future<Ruling<T>> ruling(Future<T> answer) {
    return answer
        .map(Ruling::granted)
        .otherwise(failure -> Ruling.refused(LedgerFailures.refusal(failure, place)));
  }

  private static Row only(RowSet<Row> rows, String identity) {
    if (rows.size() != 1) {
      throw new LedgerFailures.Unusable(rows.size() + " rows were answered, expected one");
    }
    Row row = rows.iterator().next();
    if (!identity.equals(row.getString("o_ledger"))) {
      throw new LedgerFailures.Unusable("it is another ledger than it was");
    }
    return row;
  }

  // ---- reading

  private static EpochRecord epoch(Row row) {
    EpochRecord record =
        new EpochRecord(
            new FencingToken(present(row.getLong("o_epoch"))), present(row.getString("o_source")));
    if (!record.isKnown()) {
      throw new LedgerFailures.Unusable("an epoch's source cannot be read");
    }
    return record;
  }

  private static Optional<FencingToken> confirmed(Row row) {
    return Optional.ofNullable(row.getLong("o_confirmed")).map(FencingToken::new);
  }

  private static <T> T present(@Nullable T value) {
    if (value == null) {
      throw new LedgerFailures.Unusable("a value is missing in its answer");
    }
    return value;
  }
}

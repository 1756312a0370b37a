/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.adapter.spi.Seal;
import io.fencegate.adapter.spi.SealOutcome;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Raises epochs, one raise per resource at a time: later ones for the same token join it, others
 * wait for it. A raise does not count against its resource's share of the pool, or the older writes
 * that it waits for could keep it from starting.
 */
final class Sealer {

  private static final String RAISE =
      "SELECT set_config('lock_timeout', $4, true), fencegate.guard_raise($1, $2, $3)::text";

  private static final String RESET =
      "SELECT set_config('lock_timeout', $2, true), fencegate.reset_epoch($1)::text";

  /** Of what is left: so that waiting for older writes is told apart from a silent database. */
  private static final long LOCK_PERCENT = 75;

  /** A raise that is under way. */
  private record Raise(
      FencingToken token, @Nullable FencingToken floor, Future<SealOutcome> outcome) {}

  private final Clocks clocks;
  private final Connections connections;
  private final Map<ResourceName, Raise> underWay = new HashMap<>();

  Sealer(Clocks clocks, Connections connections) {
    this.clocks = clocks;
    this.connections = connections;
  }

  /** Never fails. */
  Future<SealOutcome> seal(Permit permit, Seal seal) {
    Raise present = underWay.get(permit.resource());
    if (present == null) {
      return start(permit, seal);
    }
    boolean same =
        present.token().equals(permit.token()) && Objects.equals(present.floor(), seal.floor());
    long left = clocks.read().millisUntil(seal.deadlineNanos());
    Future<SealOutcome> other = Within.millis(present.outcome(), left).otherwise(Sealer::late);
    return same ? other : other.compose(done -> retry(permit, seal));
  }

  private static SealOutcome late(Throwable tooLate) {
    return new SealOutcome.Failed(
        RefusalCode.DOWNSTREAM_BUSY.because("another raise of this resource is under way"));
  }

  private Future<SealOutcome> retry(Permit permit, Seal seal) {
    return clocks.read().isBefore(seal.deadlineNanos())
        ? seal(permit, seal)
        : Future.succeededFuture(late(new IllegalStateException("deadline")));
  }

  private Future<SealOutcome> start(Permit permit, Seal seal) {
    Future<SealOutcome> outcome =
        connections
            .lend(
                Connections.Errand.urgent(seal.deadlineNanos()),
                session -> raise(session, permit, seal))
            .otherwise(failure -> new SealOutcome.Failed(connections.refusalOf(failure)));
    Raise mine = new Raise(permit.token(), seal.floor(), outcome);
    underWay.put(permit.resource(), mine);
    return outcome.onComplete(done -> underWay.remove(permit.resource(), mine));
  }

  private Future<SealOutcome> raise(Session session, Permit permit, Seal seal) {
    long left = Math.max(1, clocks.read().millisUntil(seal.deadlineNanos()));
    FencingToken floor = seal.floor();
    Tuple arguments =
        Tuple.of(permit.resource().value(), permit.token().value())
            .addLong(floor == null ? null : floor.value())
            .addString(Math.max(1, left * LOCK_PERCENT / 100) + "ms");
    return Within.millis(session.call(RAISE, arguments), left)
        .transform(answer -> Future.succeededFuture(outcome(session, answer)));
  }

  /** Forgets the resource's epoch; the refusal, or empty where that is done. Never fails. */
  Future<Optional<Refusal>> reset(ResourceName resource, long deadlineNanos) {
    return connections
        .lend(
            Connections.Errand.urgent(deadlineNanos),
            session -> reset(session, resource, deadlineNanos))
        .otherwise(failure -> Optional.of(connections.refusalOf(failure)));
  }

  private Future<Optional<Refusal>> reset(
      Session session, ResourceName resource, long deadlineNanos) {
    long left = Math.max(1, clocks.read().millisUntil(deadlineNanos));
    Tuple arguments = Tuple.of(resource.value(), Math.max(1, left * LOCK_PERCENT / 100) + "ms");
    return Within.millis(session.call(RESET, arguments), left)
        .transform(
            answer -> {
              if (answer.failed() && PgFailures.state(answer.cause()).isEmpty()) {
                session.destroy();
              }
              return Future.succeededFuture(
                  answer.succeeded() ? Optional.empty() : Optional.of(refusal(answer.cause())));
            });
  }

  private static SealOutcome outcome(Session session, AsyncResult<RowSet<Row>> answer) {
    if (answer.succeeded()) {
      return new SealOutcome.Sealed();
    }
    String state = PgFailures.state(answer.cause());
    if (state.isEmpty()) {
      session.destroy();
    }
    return switch (state) {
      case SqlStates.STALE -> new SealOutcome.Stale(WriteTransaction.epochOf(answer.cause()));
      case SqlStates.WENT_BACKWARDS ->
          new SealOutcome.Failed(
              RefusalCode.EPOCH_WENT_BACKWARDS.because(PgFailures.message(answer.cause())));
      default -> new SealOutcome.Failed(refusal(answer.cause()));
    };
  }

  private static Refusal refusal(Throwable failure) {
    return PgFailures.state(failure).isEmpty()
        ? RefusalCode.DOWNSTREAM_UNAVAILABLE.because(
            "the database did not answer the raise of the epoch; sealing again is harmless")
        : PgFailures.ofOwn(failure);
  }
}

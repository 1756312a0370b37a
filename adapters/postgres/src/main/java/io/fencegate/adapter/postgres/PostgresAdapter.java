/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.FencedWrite;
import io.fencegate.adapter.spi.Offer;
import io.fencegate.adapter.spi.OutcomeRecords;
import io.fencegate.adapter.spi.ReconcileOutcome;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.adapter.spi.Seal;
import io.fencegate.adapter.spi.SealOutcome;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.fence.ShadowPermit;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;

/**
 * One PostgreSQL database. The epoch lives in the database and is compared in the write's own
 * transaction, so that no pause of anybody lets a stale write in; see the schema for why that
 * holds. One context, no locks.
 */
final class PostgresAdapter implements ResourceAdapter {

  /** Beyond one attempt to connect, so that its own end is told and not that it took too long. */
  private static final Duration TO_TELL = Duration.ofMillis(250);

  private final Clocks clocks;
  private final PostgresSettings settings;
  private final Connections connections;
  private final Schema schema;
  private final Sealer sealer;
  private final Resolver resolver;
  private final PostgresRecords records;
  private final Purger purger;
  private final WriteIds ids;
  private final BoundOperations operations = new BoundOperations();
  private final UnderWay underWay = new UnderWay();

  PostgresAdapter(PostgresSettings settings, AdapterContext context, WriteIds ids) {
    this.clocks = context.clocks();
    this.settings = settings;
    this.ids = ids;
    this.connections = new Connections(context.vertx(), clocks, settings);
    this.schema = new Schema(clocks, connections, settings.install());
    this.sealer = new Sealer(clocks, connections);
    this.resolver = new Resolver(context.vertx(), clocks, connections);
    this.records = new PostgresRecords(context.vertx(), clocks, connections, schema, ids);
    this.purger = new Purger(context.vertx(), clocks, connections, Purger.PAUSE);
  }

  @Override
  public Offer offer() {
    return PostgresAdapterFactory.OFFER;
  }

  @Override
  public Optional<Refusal> objection(WriteContent content) {
    return content.calls().stream()
        .map(BoundOperation::objection)
        .flatMap(Optional::stream)
        .findFirst();
  }

  @Override
  public Future<SealOutcome> seal(Permit permit, Seal seal) {
    Optional<Refusal> closed = underWay.objection();
    if (closed.isPresent()) {
      return Future.succeededFuture(new SealOutcome.Failed(closed.get()));
    }
    return underWay.track(
        ready(seal.deadlineNanos())
            .compose(there -> sealer.seal(permit, seal))
            .otherwise(failure -> new SealOutcome.Failed(connections.refusalOf(failure))));
  }

  @Override
  public Future<ApplyOutcome> apply(Permit permit, FencedWrite write) {
    return apply(new Admission.Fenced(permit), write);
  }

  @Override
  public Future<ApplyOutcome> applyUnfenced(ShadowPermit permit, FencedWrite write) {
    return apply(new Admission.LetThrough(permit), write);
  }

  private Future<ApplyOutcome> apply(Admission admission, FencedWrite write) {
    Optional<Refusal> no = underWay.objection().or(() -> objection(write.content()));
    if (no.isPresent()) {
      return Future.succeededFuture(new ApplyOutcome.Rejected(no.get()));
    }
    return underWay.track(
        ready(write.deadlineNanos())
            .compose(there -> lend(admission, write))
            .otherwise(
                failure ->
                    new WriteEnd.Certain(new ApplyOutcome.Rejected(connections.refusalOf(failure))))
            .compose(end -> settle(end, write.deadlineNanos())));
  }

  private Future<WriteEnd> lend(Admission admission, FencedWrite write) {
    return connections.lend(
        Connections.Errand.write(admission.resource(), write.deadlineNanos()),
        session -> transaction(session, admission, write));
  }

  private Future<Void> ready(long deadlineNanos) {
    return schema.ready(deadlineNanos).onSuccess(there -> purger.start());
  }

  private Future<WriteEnd> transaction(Session session, Admission admission, FencedWrite write) {
    long left = clocks.read().millisUntil(write.deadlineNanos());
    return Within.millis(session.clock(clocks.read()), left)
        .transform(
            clock -> {
              if (clock.failed()) {
                session.destroy();
                return Future.succeededFuture(
                    new WriteEnd.Certain(
                        new ApplyOutcome.Rejected(PgFailures.ofOwn(clock.cause()))));
              }
              String id = ids.next(clock.result());
              WriteTransaction.Order order = new WriteTransaction.Order(admission, write, id);
              return new WriteTransaction(session, clocks, operations, order)
                  .run()
                  .otherwise(defect -> lostTrack(session, id, defect));
            });
  }

  /** It should not fail; where it does, nobody knows whether COMMIT was sent. */
  private static WriteEnd lostTrack(Session session, String writeId, Throwable defect) {
    session.destroy();
    return new WriteEnd.InDoubt(writeId, "[]", "the adapter met a defect: " + defect);
  }

  private Future<ApplyOutcome> settle(WriteEnd end, long deadlineNanos) {
    if (end instanceof WriteEnd.Certain certain) {
      return Future.succeededFuture(certain.outcome());
    }
    WriteEnd.InDoubt doubt = (WriteEnd.InDoubt) end;
    return resolver.resolve(doubt.writeId(), deadlineNanos).map(found -> settled(doubt, found));
  }

  private static ApplyOutcome settled(WriteEnd.InDoubt doubt, ReconcileOutcome found) {
    if (found instanceof ReconcileOutcome.Applied) {
      return new ApplyOutcome.Applied(doubt.resultsJson());
    }
    return found instanceof ReconcileOutcome.StillUnknown still
        ? new ApplyOutcome.Unknown(doubt.reason() + "; " + still.reason(), doubt.writeId())
        : new ApplyOutcome.Rejected(
            RefusalCode.DOWNSTREAM_UNAVAILABLE.because(
                doubt.reason() + "; the write was cancelled and can not land any more"));
  }

  @Override
  public Future<Optional<Refusal>> resetEpoch(ResourceName resource, long deadlineNanos) {
    Optional<Refusal> closed = underWay.objection();
    return closed.isPresent()
        ? Future.succeededFuture(closed)
        : underWay.track(
            ready(deadlineNanos)
                .compose(there -> sealer.reset(resource, deadlineNanos))
                .otherwise(failure -> Optional.of(connections.refusalOf(failure))));
  }

  @Override
  public Future<ReconcileOutcome> reconcile(String writeId, long deadlineNanos) {
    return underWay.track(resolver.resolve(writeId, deadlineNanos));
  }

  @Override
  public Optional<OutcomeRecords> records() {
    return Optional.of(records);
  }

  @Override
  public Future<Optional<String>> unreachable() {
    long deadlineNanos =
        clocks.read().monotonicNanos() + settings.timeout().plus(TO_TELL).toNanos();
    return ready(deadlineNanos)
        .compose(
            there ->
                connections.lend(Connections.Errand.own(deadlineNanos), session -> probe(session)))
        .map(answered -> Optional.<String>empty())
        .otherwise(failure -> Optional.of(connections.refusalOf(failure).detail()));
  }

  private Future<Void> probe(Session session) {
    return Within.millis(session.script("SELECT 1"), settings.timeout().toMillis())
        .onFailure(failure -> session.destroy())
        .mapEmpty();
  }

  @Override
  public Future<Void> close() {
    purger.close();
    return underWay.close().compose(ended -> connections.close());
  }
}

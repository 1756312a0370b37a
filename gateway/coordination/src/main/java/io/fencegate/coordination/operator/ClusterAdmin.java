/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.operator;

import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.key.GenerationRecord;
import io.fencegate.coordination.key.HistoryLostRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.SessionRecord;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.witness.CoordinatorHistory;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.Generation;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/**
 * The coordinator as a whole: who uses it, and which generation it is in. Used from one context.
 */
public final class ClusterAdmin {

  /** More than one deployment has; the rest is not listed. */
  private static final int MAX_GATEWAYS = 1_000;

  private final CoordinationStore store;
  private final Keyspace keys;
  private final GatewaySession session;
  private final CoordinatorHistory history;

  public ClusterAdmin(
      CoordinationStore store, Keyspace keys, GatewaySession session, CoordinatorHistory history) {
    this.store = store;
    this.keys = keys;
    this.session = session;
    this.history = history;
  }

  /**
   * A gateway with a live session.
   *
   * @param session its id
   * @param counter how often it has settled doubt
   */
  public record GatewayView(String session, String address, long counter) {}

  /** The gateways whose sessions live. */
  public Future<Ruling<List<GatewayView>>> gateways() {
    return store
        .range(keys.gateways(), MAX_GATEWAYS)
        .map(page -> Ruling.granted(page.entries().stream().map(this::view).toList()))
        .recover(failure -> refused(failure, false));
  }

  private GatewayView view(Entry entry) {
    SessionRecord record = SessionRecord.decode(entry.value());
    return new GatewayView(keys.sessionOf(entry.key()), record.address(), record.counter());
  }

  /** A generation that was raised. */
  public record Raised(Generation before, Generation now) {}

  /**
   * Raises the generation above every one that this gateway knows of, or that another has marked
   * history as lost in: all tokens and leases issued before are void, and every token from now on
   * is above them. In doubt it can be repeated: at worst it is raised twice.
   */
  public Future<Ruling<Raised>> raiseGeneration() {
    List<Op> look = List.of(new Op.Get(keys.generation()), new Op.Get(keys.historyLost()));
    return store
        .commitAlone(new Member(List.of(), look, List.of()))
        .compose(result -> raise(result.entry(0), result.entry(1)))
        .recover(failure -> refused(failure, true));
  }

  private Future<Ruling<Raised>> raise(Optional<Entry> entry, Optional<Entry> mark) {
    Generation before =
        entry.map(it -> GenerationRecord.decode(it.value()).generation()).orElse(Generation.FIRST);
    Generation marked =
        mark.map(it -> HistoryLostRecord.decode(it.value()).generation()).orElse(before);
    Generation highest = higher(higher(before, marked), history.highestGeneration());
    Generation now = new Generation(highest.value() + 1);
    return store
        .commitAlone(
            new Member(
                List.of(
                    new Compare.ModifiedAt(
                        keys.generation(), entry.map(Entry::modRevision).orElse(0L))),
                List.of(
                    new Op.Put(
                        keys.generation(), new GenerationRecord(now).encode(), LeaseHandle.NONE)),
                List.of()))
        .compose(
            result ->
                result.held()
                    ? takenUp(new Raised(before, now))
                    : Future.succeededFuture(Ruling.refused(raisedMeanwhile())));
  }

  private static Generation higher(Generation one, Generation other) {
    return one.compareTo(other) < 0 ? other : one;
  }

  /**
   * This gateway goes by it at once where it can, the others with their next heartbeat. A heartbeat
   * that was under way may have read the old one, so there may have to be another.
   */
  private Future<Ruling<Raised>> takenUp(Raised raised) {
    return session
        .refresh()
        .transform(
            unused ->
                session.generation().equals(raised.now())
                    ? Future.succeededFuture()
                    : session.refresh())
        .transform(unused -> Future.succeededFuture(Ruling.granted(raised)));
  }

  private static Refusal raisedMeanwhile() {
    return RefusalCode.IN_FLIGHT
        .because("somebody else has just raised the generation; look whether that suffices")
        .nothingDone();
  }

  private static <T> Future<Ruling<T>> refused(Throwable failure, boolean writes) {
    if (!(failure instanceof StoreException known)) {
      return Future.failedFuture(failure);
    }
    Refusal refusal =
        RefusalCode.COORDINATOR_UNAVAILABLE.because(String.valueOf(known.getMessage()));
    boolean doubt = writes && known.kind() == StoreException.Kind.INDEFINITE;
    return Future.succeededFuture(Ruling.refused(doubt ? refusal.inDoubt() : refusal));
  }
}

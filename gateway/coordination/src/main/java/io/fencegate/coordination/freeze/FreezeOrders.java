/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.freeze;

import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.key.FreezeRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.SessionRecord;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.policy.freeze.Freeze;
import io.fencegate.policy.freeze.FreezeScope;
import io.fencegate.policy.freeze.Freezes;
import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * Puts and lifts freezes of writes. That travels alone and rests on nothing else, no session and no
 * history of the coordinator: stopping writes has to work when other things do not. An id is random
 * and never used twice, so a transaction that is late does no more than it was meant to.
 *
 * <p>Used from one context.
 */
public final class FreezeOrders {

  /** A read of all gateways is far below it; sessions of processes that ended go within seconds. */
  private static final int MAX_GATEWAYS = 1_000;

  /** As many steps as one transaction may have. */
  private static final int FORGOTTEN_AT_ONCE = 100;

  private static final Duration LOOK_AGAIN = Duration.ofMillis(200);
  private static final int ID_BYTES = 6;

  private final Vertx vertx;
  private final CoordinationStore store;
  private final Keyspace keys;
  private final Clocks clocks;
  private final IntFunction<byte[]> secureRandom;
  private final FreezeBoard board;

  /**
   * Orders that a board is to go by.
   *
   * @param secureRandom gives that many bytes from a secure random source
   */
  public FreezeOrders(
      Vertx vertx,
      CoordinationStore store,
      Keyspace keys,
      Clocks clocks,
      IntFunction<byte[]> secureRandom,
      FreezeBoard board) {
    this.vertx = vertx;
    this.store = store;
    this.keys = keys;
    this.clocks = clocks;
    this.secureRandom = secureRandom;
    this.board = board;
  }

  /** All of them, read anew. */
  public Future<Ruling<Freezes>> list() {
    return board
        .readAnew()
        .map(unused -> Ruling.granted(board.last()))
        .recover(failure -> refused(failure, false));
  }

  /**
   * Stops writes until {@link #lift}. When it answers this gateway goes by it; the others do within
   * a second, and after {@link GatewaySession#MAX_STALENESS} all do, or let nothing in at all. In
   * doubt it may be in force or come into force: {@link #list} tells.
   */
  public Future<Ruling<Freeze>> freeze(FreezeScope scope, String reason) {
    return freeze(newId(""), scope, reason);
  }

  /** The same under an id that {@link #newId} gave. */
  public Future<Ruling<Freeze>> freeze(String id, FreezeScope scope, String reason) {
    if (board.last().all().size() >= FreezeBoard.MAX_FREEZES
        && scope.kind() != FreezeScope.Kind.ALL) {
      return Future.succeededFuture(Ruling.refused(tooMany()));
    }
    Freeze freeze = new Freeze(id, scope, reason, clocks.read().wallMillis());
    Op put =
        new Op.Put(
            keys.freeze(id),
            new FreezeRecord(scope, reason, freeze.atMillis()).encode(),
            LeaseHandle.NONE);
    return store
        .commitAlone(new Member(List.of(Compare.absent(keys.freeze(id))), List.of(put), List.of()))
        .compose(unused -> board.readAnew().otherwiseEmpty())
        .map(unused -> Ruling.granted(freeze))
        .recover(failure -> refused(failure, true));
  }

  /** Stops writes on this gateway alone, without the coordinator, and at once. */
  public Ruling<Freeze> freezeHere(FreezeScope scope, String reason) {
    if (board.last().all().size() >= FreezeBoard.MAX_FREEZES) {
      return Ruling.refused(tooMany());
    }
    Freeze freeze = new Freeze(newId(Freeze.LOCAL), scope, reason, clocks.read().wallMillis());
    board.freezeHere(freeze);
    return Ruling.granted(freeze);
  }

  private static Refusal tooMany() {
    return RefusalCode.INVALID_REQUEST.because(
        FreezeBoard.MAX_FREEZES + " freezes are in force, which is the most: lift some");
  }

  /** An id that was never used. */
  public String newId(String start) {
    return start + HexFormat.of().formatHex(secureRandom.apply(ID_BYTES));
  }

  /** Lets writes in again; answers what was lifted. Other gateways follow within a second. */
  public Future<Ruling<Freeze>> lift(String id) {
    return board
        .liftHere(id)
        .map(lifted -> Future.succeededFuture(Ruling.granted(lifted)))
        .orElseGet(
            () ->
                list()
                    .compose(
                        ruling ->
                            ruling
                                .then(freezes -> find(freezes, id))
                                .fold(
                                    this::lift,
                                    refusal -> Future.succeededFuture(Ruling.refused(refusal)))));
  }

  private static Ruling<Freeze> find(Freezes freezes, String id) {
    return freezes.all().stream()
        .filter(it -> it.id().equals(id))
        .findFirst()
        .map(Ruling::granted)
        .orElseGet(
            () ->
                Ruling.refused(
                    RefusalCode.NOT_FOUND.because(
                        "no freeze with id " + Parsed.show(id) + " is in force")));
  }

  private Future<Ruling<Freeze>> lift(Freeze freeze) {
    Op delete = new Op.Delete(keys.freeze(freeze.id()));
    return store
        .commitAlone(new Member(List.of(), List.of(delete), List.of()))
        .compose(unused -> forget(freeze.id()))
        .compose(unused -> board.readAnew().otherwiseEmpty())
        .map(unused -> Ruling.granted(freeze))
        .recover(failure -> refused(failure, true));
  }

  // ---- who has heard

  /**
   * Removes what gateways have told about a freeze that is no longer there; nothing is added to
   * that any more. What cannot be removed does no harm.
   */
  public Future<Void> forget(String id) {
    return store
        .range(keys.drained(id), FORGOTTEN_AT_ONCE)
        .compose(
            page -> {
              List<Op> deletes =
                  page.entries().stream().<Op>map(it -> new Op.Delete(it.key())).toList();
              return deletes.isEmpty()
                  ? Future.<Void>succeededFuture()
                  : store.commitAlone(new Member(List.of(), deletes, List.of())).<Void>mapEmpty();
            })
        .otherwiseEmpty();
  }

  /**
   * The gateways that live and have not told yet that nothing is under way there any more that the
   * freeze stops, by their addresses. Fails with {@link StoreException}.
   */
  public Future<List<String>> undrained(String id) {
    return store
        .range(keys.drained(id), MAX_GATEWAYS)
        .compose(
            drained -> {
              Set<String> told =
                  drained.entries().stream()
                      .map(it -> Keyspace.sessionOfDrained(it.key()))
                      .collect(Collectors.toSet());
              return store
                  .range(keys.gateways(), MAX_GATEWAYS)
                  .map(
                      gateways ->
                          gateways.entries().stream()
                              .filter(it -> !told.contains(keys.sessionOf(it.key())))
                              .map(it -> SessionRecord.decode(it.value()).address())
                              .sorted()
                              .toList());
            });
  }

  /** The same as soon as there is none, or as it is after {@code patience}. */
  public Future<List<String>> undrained(String id, Duration patience) {
    return undrained(id)
        .compose(
            left ->
                left.isEmpty() || patience.isNegative()
                    ? Future.succeededFuture(left)
                    : vertx
                        .timer(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS)
                        .compose(unused -> undrained(id, patience.minus(LOOK_AGAIN))));
  }

  private static <T> Future<Ruling<T>> refused(Throwable failure, boolean writes) {
    boolean definite =
        failure instanceof StoreException known && known.kind() != StoreException.Kind.INDEFINITE;
    Refusal refusal =
        RefusalCode.COORDINATOR_UNAVAILABLE.because(String.valueOf(failure.getMessage()));
    return Future.succeededFuture(
        Ruling.refused(writes && !definite ? refusal.inDoubt() : refusal));
  }
}

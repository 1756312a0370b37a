/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.freeze;

import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.key.FreezeRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.UnreadableRecord;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.RangePage;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.policy.freeze.Freeze;
import io.fencegate.policy.freeze.FreezeScope;
import io.fencegate.policy.freeze.Freezes;
import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The freezes of writes, read from the coordinator once a second, linearizably. What was read
 * counts from before the question was sent and for {@link GatewaySession#MAX_STALENESS} at most; so
 * once a freeze has been put for that long, no gateway lets anything in that it means, whatever the
 * gateway has heard or not.
 *
 * <p>Putting and lifting one travels alone and rests on nothing else, no session and no history of
 * the coordinator: stopping writes has to work when other things do not. An id is random and never
 * used twice, so a transaction that is late does no more than it was meant to.
 *
 * <p>Used from one context.
 */
public final class FreezeBoard {

  /** How often the coordinator is asked. */
  static final Duration READ_EVERY = Duration.ofSeconds(1);

  /** A read that takes longer is given up, so that the next one is asked in time. */
  private static final Duration READ_PATIENCE = Duration.ofSeconds(2);

  /** Every write looks through all of them, and nobody keeps track of more. */
  public static final int MAX_FREEZES = 1_000;

  /** Clocks that moved apart by more than this since the read make it void: see the barrier. */
  private static final Duration CLOCK_MARGIN = Duration.ofMillis(250);

  private static final int ID_BYTES = 6;

  private static final Logger LOG = LoggerFactory.getLogger(FreezeBoard.class);

  private final Vertx vertx;
  private final CoordinationStore store;
  private final Keyspace keys;
  private final Clocks clocks;
  private final IntFunction<byte[]> secureRandom;
  private Optional<View> view = Optional.empty();
  private Optional<Future<Void>> reading = Optional.empty();
  private String trouble = "they were never read";
  private long timer;

  private record View(Freezes freezes, ClockReading askedAt) {}

  /**
   * A board that has read nothing yet.
   *
   * @param secureRandom gives that many bytes from a secure random source
   */
  public FreezeBoard(
      Vertx vertx,
      CoordinationStore store,
      Keyspace keys,
      Clocks clocks,
      IntFunction<byte[]> secureRandom) {
    this.vertx = vertx;
    this.store = store;
    this.keys = keys;
    this.clocks = clocks;
    this.secureRandom = secureRandom;
  }

  /** Reads now and every second from now on, until {@link #stop}. */
  public void start() {
    refresh().otherwiseEmpty();
    timer = vertx.setPeriodic(READ_EVERY.toMillis(), unused -> refresh().otherwiseEmpty());
  }

  public void stop() {
    vertx.cancelTimer(timer);
  }

  // ---- what is known

  /** Whether what was read is recent enough to let writes in on it. */
  public boolean isFresh(ClockReading now) {
    return view.filter(it -> counts(it.askedAt(), now)).isPresent();
  }

  private static boolean counts(ClockReading askedAt, ClockReading now) {
    return now.isBefore(askedAt.monotonicNanos() + GatewaySession.MAX_STALENESS.toNanos())
        && now.disagreementMillis(askedAt) <= CLOCK_MARGIN.toMillis();
  }

  /** Whether they were ever read. */
  public boolean wasEverRead() {
    return view.isPresent();
  }

  /** The freezes as they were read last, however long ago. */
  public Freezes last() {
    return view.map(View::freezes).orElse(Freezes.NONE);
  }

  /** Why the last attempt to read them failed; for people. */
  public String trouble() {
    return trouble;
  }

  /**
   * Reads them. Calls while a read is under way join it. Fails with {@link StoreException} or after
   * 2 s.
   */
  public Future<Void> refresh() {
    if (reading.isPresent()) {
      return reading.get();
    }
    ClockReading askedAt = clocks.read();
    Future<Void> attempt =
        store
            .range(keys.freezes(), MAX_FREEZES)
            .timeout(READ_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
            .map(
                page -> {
                  adopt(askedAt, page);
                  return null;
                });
    reading = Optional.of(attempt);
    attempt.onComplete(
        result -> {
          reading = Optional.empty();
          if (result.failed()) {
            trouble = String.valueOf(result.cause().getMessage());
          }
        });
    return attempt;
  }

  private void adopt(ClockReading askedAt, RangePage page) {
    Freezes found = new Freezes(page.entries().stream().map(this::freeze).toList(), page.more());
    if (!found.equals(last())) {
      LOG.warn(
          "freezes of writes in force: {}{}",
          found.all().stream().map(it -> it.id() + " of " + it.scope().shown()).toList(),
          found.more() ? " and more: everything counts as frozen" : "");
    }
    view = Optional.of(new View(found, askedAt));
  }

  /** What cannot be read may mean anything. */
  private Freeze freeze(Entry entry) {
    String id = keys.idOfFreeze(entry.key());
    try {
      FreezeRecord record = FreezeRecord.decode(entry.value());
      return new Freeze(id, record.scope(), record.reason(), record.atMillis());
    } catch (UnreadableRecord e) {
      return new Freeze(id, new FreezeScope.Everything(), String.valueOf(e.getMessage()), 0);
    }
  }

  /** A read that was under way may have missed what was just put. */
  private Future<Void> readAnew() {
    return reading.map(it -> it.transform(unused -> refresh())).orElseGet(this::refresh);
  }

  // ---- what operators do

  /** All of them, read anew. */
  public Future<Ruling<Freezes>> list() {
    return readAnew()
        .map(unused -> Ruling.granted(last()))
        .recover(failure -> refused(failure, false));
  }

  /**
   * Stops writes until {@link #lift}. When it answers this gateway goes by it; the others do within
   * a second, and after {@link GatewaySession#MAX_STALENESS} all do, or let nothing in at all. In
   * doubt it may be in force or come into force: {@link #list} tells.
   */
  public Future<Ruling<Freeze>> freeze(FreezeScope scope, String reason) {
    if (last().all().size() >= MAX_FREEZES && scope.kind() != FreezeScope.Kind.ALL) {
      return Future.succeededFuture(
          Ruling.refused(
              RefusalCode.INVALID_REQUEST.because(
                  MAX_FREEZES + " freezes are in force, which is the most: lift some")));
    }
    String id = HexFormat.of().formatHex(secureRandom.apply(ID_BYTES));
    Freeze freeze = new Freeze(id, scope, reason, clocks.read().wallMillis());
    Op put =
        new Op.Put(
            keys.freeze(id),
            new FreezeRecord(scope, reason, freeze.atMillis()).encode(),
            LeaseHandle.NONE);
    return store
        .commitAlone(new Member(List.of(Compare.absent(keys.freeze(id))), List.of(put), List.of()))
        .compose(unused -> readAnew().otherwiseEmpty())
        .map(unused -> Ruling.granted(freeze))
        .recover(failure -> refused(failure, true));
  }

  /** Lets writes in again; answers what was lifted. Other gateways follow within a second. */
  public Future<Ruling<Freeze>> lift(String id) {
    return list()
        .compose(
            ruling ->
                ruling
                    .then(freezes -> find(freezes, id))
                    .fold(this::lift, refusal -> Future.succeededFuture(Ruling.refused(refusal))));
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
        .compose(unused -> readAnew().otherwiseEmpty())
        .map(unused -> Ruling.granted(freeze))
        .recover(failure -> refused(failure, true));
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

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.freeze;

import io.fencegate.coordination.agreement.PolicyRegister;
import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.key.FreezeRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.UnreadableRecord;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.RangePage;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.policy.freeze.Freeze;
import io.fencegate.policy.freeze.FreezeScope;
import io.fencegate.policy.freeze.Freezes;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The freezes of writes, read from the coordinator once a second, linearizably, and right after
 * them the {@link PolicyRegister policies} that all gateways share. What was read counts from
 * before the question was sent and for {@link GatewaySession#MAX_STALENESS} at most; so once a
 * freeze has been put for that long, no gateway lets anything in that it means, whatever the
 * gateway has heard or not.
 *
 * <p>Freezes of this gateway alone are kept here, need no coordinator, and end with the process.
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

  private static final Logger LOG = LoggerFactory.getLogger(FreezeBoard.class);

  private final Parts parts;
  private final Map<String, Freeze> local = new LinkedHashMap<>();
  private Optional<View> view = Optional.empty();
  private Freezes inForce = Freezes.NONE;
  private Optional<Future<Void>> reading = Optional.empty();
  private String trouble = "they were never read";
  private long timer;

  private record View(Freezes freezes, ClockReading askedAt) {}

  /**
   * What a board works with.
   *
   * @param drains told of what is in force
   */
  public record Parts(
      Vertx vertx,
      CoordinationStore store,
      Keyspace keys,
      Clocks clocks,
      PolicyRegister policies,
      Drains drains) {}

  /** A board that has read nothing yet. */
  public FreezeBoard(Parts parts) {
    this.parts = parts;
  }

  /** Reads now and every second from now on, until {@link #stop}. */
  public void start() {
    refresh().otherwiseEmpty();
    timer = parts.vertx().setPeriodic(READ_EVERY.toMillis(), unused -> refresh().otherwiseEmpty());
  }

  public void stop() {
    parts.vertx().cancelTimer(timer);
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

  /** Those of this gateway, and the others as they were read last, however long ago. */
  public Freezes last() {
    return inForce;
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
    ClockReading askedAt = parts.clocks().read();
    Future<Void> attempt =
        parts
            .store()
            .range(parts.keys().freezes(), MAX_FREEZES)
            .compose(page -> parts.policies().read().map(recorded -> Map.entry(page, recorded)))
            .timeout(READ_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
            .map(
                read -> {
                  parts.policies().adopt(read.getValue());
                  adopt(askedAt, read.getKey());
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
    if (!found.equals(view.map(View::freezes).orElse(Freezes.NONE))) {
      LOG.warn(
          "freezes of writes in force: {}{}",
          found.all().stream().map(it -> it.id() + " of " + it.scope().shown()).toList(),
          found.more() ? " and more: everything counts as frozen" : "");
    }
    view = Optional.of(new View(found, askedAt));
    combine();
    parts.drains().adopted(found);
  }

  private void combine() {
    List<Freeze> all = new ArrayList<>(local.values());
    view.ifPresent(it -> all.addAll(it.freezes().all()));
    inForce = new Freezes(all, view.filter(it -> it.freezes().more()).isPresent());
  }

  /** What cannot be read may mean anything. */
  private Freeze freeze(Entry entry) {
    String id = parts.keys().idOfFreeze(entry.key());
    try {
      FreezeRecord record = FreezeRecord.decode(entry.value());
      return new Freeze(id, record.scope(), record.reason(), record.atMillis());
    } catch (UnreadableRecord e) {
      return new Freeze(id, new FreezeScope.Everything(), String.valueOf(e.getMessage()), 0);
    }
  }

  /** A read that was under way may have missed what was just put. */
  public Future<Void> readAnew() {
    return reading.map(it -> it.transform(unused -> refresh())).orElseGet(this::refresh);
  }

  // ---- this gateway alone

  /** Stops writes on this gateway at once, until {@link #liftHere} or the process's end. */
  void freezeHere(Freeze freeze) {
    local.put(freeze.id(), freeze);
    combine();
  }

  /** Lets in again what was stopped on this gateway; empty where that is not in force. */
  Optional<Freeze> liftHere(String id) {
    Optional<Freeze> lifted = Optional.ofNullable(local.remove(id));
    combine();
    return lifted;
  }

  /** The freezes of this gateway alone. */
  public List<Freeze> here() {
    return List.copyOf(local.values());
  }
}

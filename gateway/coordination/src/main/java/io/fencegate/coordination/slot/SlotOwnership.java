/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.commit.CommitBatcher;
import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.SessionRecord;
import io.fencegate.coordination.key.SlotRecord;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slots that this gateway owns. Resources are hashed to slots, each slot has one owner, and
 * only the owner carries out writes to downstreams that cannot tell one gateway from another.
 *
 * <p>A slot is taken by a transaction that compares that the session of its last owner has ended,
 * and served only after the takeover delay, when everything that one had on its way has been
 * answered or given up. An owner that goes lets its writes end first and says so in the slot; then
 * there is no delay.
 *
 * <pre>
 *   old owner   |-- heartbeat sent (0 s) ..... last write may leave (5 s) .. it ends (5 s + D)
 *   session     |------------------------------------------- lives to 10 s at least
 *   successor                                                | takes (10 s) ... serves (10 s + D)
 *   resource with a mark of the old owner                                       .. + settleAfter
 * </pre>
 *
 * <p>An owner fences itself: nothing leaves unless its session was confirmed in the last {@link
 * GatewaySession#MAX_STALENESS}, counted from before the heartbeat that confirmed it was sent. The
 * session lives for {@link GatewaySession#TTL} from then at least, so nobody can have taken the
 * slot.
 *
 * <p>Used from one context.
 */
public final class SlotOwnership {

  /** How often slots and sessions are looked at. */
  static final Duration PERIOD = Duration.ofMillis(500);

  /** How long a request is held while its slot changes hands. */
  static final Duration HOLD = Duration.ofSeconds(2);

  /** What one look and the transactions after it may take. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(SlotOwnership.class);

  private final Parts parts;
  private final Map<Integer, Tenure> mine = new HashMap<>();
  private SlotPlan.View view = SlotPlan.View.NOTHING;
  private String self = "";

  /** Counts what has come and gone, so that a look that began before then concludes nothing. */
  private long moves;

  private Optional<Future<Void>> looking = Optional.empty();
  private final ChangeSignal change;
  private final SlotReader reader;
  private Tenants tenants = Tenants.NOBODY;
  private long timer;

  /**
   * What it stands on.
   *
   * @param takeoverDelay at least the longest time that one write may be under way
   */
  public record Parts(
      Vertx vertx,
      CoordinationStore store,
      Keyspace keys,
      CommitBatcher commits,
      GatewaySession session,
      Clocks clocks,
      Supplier<Duration> takeoverDelay) {}

  /** Who has to let go before a slot does. */
  interface Tenants {

    Tenants NOBODY =
        new Tenants() {
          @Override
          public Future<Void> leave(int slot) {
            return Future.succeededFuture();
          }

          @Override
          public void moved() {}
        };

    /** Completes when nothing of the slot's resources is on its way. Nothing new is let in. */
    Future<Void> leave(int slot);

    /** Some slot came or went: what was confirmed before has to be confirmed again. */
    void moved();
  }

  /**
   * A slot that this gateway owns.
   *
   * @param taken modification revision of the slot since then
   * @param servesFromNanos monotonic
   * @param leaving nothing new is let in, and never again under this tenure
   */
  private record Tenure(long taken, long servesFromNanos, boolean leaving) {
    boolean serves(ClockReading now) {
      return !now.isBefore(servesFromNanos);
    }

    Tenure left() {
      return new Tenure(taken, servesFromNanos, true);
    }
  }

  public SlotOwnership(Parts parts) {
    this.parts = parts;
    this.change = new ChangeSignal(parts.vertx());
    this.reader = new SlotReader(parts.store(), parts.keys());
  }

  void serve(Tenants newTenants) {
    tenants = newTenants;
  }

  /** Looks at the slots now, and again and again until {@link #stop}. */
  public void start() {
    timer = parts.vertx().setPeriodic(PERIOD.toMillis(), unused -> look());
    look();
  }

  /** Looks no more and serves no more; what is owned stays so until the session ends. */
  public void stop() {
    parts.vertx().cancelTimer(timer);
    moves++;
    mine.clear();
    change.happened();
  }

  /** The session has ended, or may have: nothing is owned any more. */
  public void sessionLost() {
    self = "";
    moves++;
    mine.clear();
    view = SlotPlan.View.NOTHING;
    tenants.moved();
    change.happened();
  }

  /** This gateway's session, as which it owns slots; empty while it owns none. */
  public String self() {
    return self;
  }

  // ---- who owns what

  /** Whether a write to the resource may be let in here now. */
  boolean admits(ResourceName resource, ClockReading now) {
    Tenure tenure = mine.get(Slots.of(resource));
    return tenure != null && !tenure.leaving() && isOwner(tenure, now);
  }

  /** Whether a write that was let in may still go out. */
  boolean holds(ResourceName resource, ClockReading now) {
    Tenure tenure = mine.get(Slots.of(resource));
    return tenure != null && isOwner(tenure, now);
  }

  /** How long one write of this gateway may be under way. */
  Duration longestUnderWay() {
    return parts.takeoverDelay().get();
  }

  /** Whether the resource's slot is this gateway's, be it served or not. */
  boolean owns(ResourceName resource) {
    return mine.containsKey(Slots.of(resource));
  }

  private boolean isOwner(Tenure tenure, ClockReading now) {
    return tenure.serves(now) && parts.session().isFresh(now) && parts.session().id().equals(self);
  }

  /**
   * Where the resource is served. While its slot changes hands, or has nobody yet, this waits a
   * little for it.
   *
   * @param deadlineNanos monotonic
   */
  public Future<Whereabouts> locate(ResourceName resource, long deadlineNanos) {
    ClockReading now = parts.clocks().read();
    long holdNanos = now.monotonicNanos() + HOLD.toNanos();
    return locateUntil(resource, holdNanos - deadlineNanos < 0 ? holdNanos : deadlineNanos);
  }

  private Future<Whereabouts> locateUntil(ResourceName resource, long untilNanos) {
    ClockReading now = parts.clocks().read();
    Whereabouts found = whereabouts(resource, now);
    long leftMillis = now.millisUntil(untilNanos);
    if (!(found instanceof Whereabouts.Nowhere) || leftMillis <= 0) {
      return Future.succeededFuture(found);
    }
    return change.next(leftMillis).compose(unused -> locateUntil(resource, untilNanos));
  }

  /** Where the resource is served, as far as it is known now. */
  public Whereabouts whereabouts(ResourceName resource, ClockReading now) {
    int slot = Slots.of(resource);
    if (admits(resource, now)) {
      return new Whereabouts.Here();
    }
    if (!parts.session().isFresh(now)) {
      return new Whereabouts.Nowhere("the coordinator has not confirmed this gateway lately");
    }
    if (mine.containsKey(slot)) {
      return new Whereabouts.Nowhere("the resource is being handed over");
    }
    Optional<String> owner = view.slot(slot).filter(it -> !it.drained()).map(SlotRecord::session);
    Optional<SessionRecord> lives = owner.map(view.sessions()::get);
    return lives.isPresent() && !owner.get().equals(self)
        ? new Whereabouts.Elsewhere(owner.get(), lives.get().address())
        : new Whereabouts.Nowhere("no gateway owns the resource at present");
  }

  /** What a look at one slot shows people. */
  public record SlotView(int slot, String owner, boolean drained, boolean serving) {}

  /** All slots that have ever had an owner, as last seen. */
  public List<SlotView> slots() {
    ClockReading now = parts.clocks().read();
    List<SlotView> all = new ArrayList<>();
    for (int slot = 0; slot < Slots.COUNT; slot++) {
      int number = slot;
      boolean waits = mine.containsKey(slot) && !mine.get(slot).serves(now);
      view.slot(slot)
          .ifPresent(
              it ->
                  all.add(
                      new SlotView(number, it.session(), it.drained(), !it.drained() && !waits)));
    }
    return all;
  }

  /** How many slots this gateway owns. */
  public int owned() {
    return mine.size();
  }

  // ---- taking and handing over

  /** Looks at the slots and does what there is to do; one look at a time. */
  public Future<Void> look() {
    if (looking.isPresent()) {
      return looking.get();
    }
    ClockReading now = parts.clocks().read();
    String session = parts.session().id();
    if (session.isEmpty() || !parts.session().isFresh(now)) {
      return Future.succeededFuture();
    }
    self = session;
    long movesBefore = moves;
    Future<Void> look =
        reader
            .read()
            .compose(found -> act(found, movesBefore))
            .onFailure(failure -> LOG.debug("slots could not be looked at", failure))
            .otherwiseEmpty();
    if (!look.isComplete()) {
      looking = Optional.of(look);
      look.onComplete(unused -> looking = Optional.empty());
    }
    return look;
  }

  private Future<Void> act(SlotPlan.View found, long movesBefore) {
    if (moves != movesBefore || !found.sessions().containsKey(self)) {
      return Future.succeededFuture();
    }
    view = found;
    adopt(found);
    List<Future<Void>> steps = new ArrayList<>();
    for (SlotPlan.Step step : SlotPlan.of(found, self)) {
      if (step instanceof SlotPlan.Step.Take take) {
        steps.add(take(take));
      } else {
        beginToLeave(step.slot());
      }
    }
    change.happened();
    return Future.join(steps).mapEmpty();
  }

  /** A take in doubt was committed after all: whom it followed is not known any more. */
  private void adopt(SlotPlan.View found) {
    for (int slot = 0; slot < Slots.COUNT; slot++) {
      if (!mine.containsKey(slot)
          && found.slot(slot).filter(it -> it.isOwnedBy(self)).isPresent()) {
        Entry entry = found.slots().get(slot);
        if (entry != null) {
          begin(slot, entry.modRevision(), parts.takeoverDelay().get());
        }
      }
    }
  }

  private Future<Void> take(SlotPlan.Step.Take step) {
    String owner = self;
    return parts
        .commits()
        .submit(new TakeTransaction(parts.keys(), step, owner), deadlineNanos())
        .map(
            commit -> {
              if (commit instanceof Commit.Judged judged
                  && judged.result().held()
                  && owner.equals(self)
                  && !mine.containsKey(step.slot())) {
                Duration delay =
                    step.ended().isPresent() ? parts.takeoverDelay().get() : Duration.ZERO;
                begin(step.slot(), judged.revision(), delay);
              }
              return null;
            });
  }

  private void begin(int slot, long taken, Duration delay) {
    moves++;
    long nowNanos = parts.clocks().read().monotonicNanos();
    mine.put(slot, new Tenure(taken, nowNanos + delay.toNanos(), false));
    tenants.moved();
    change.happened();
    if (!delay.isZero()) {
      LOG.info("slot {} is taken over, served in {}", slot, delay);
      parts.vertx().setTimer(delay.toMillis() + 1, unused -> change.happened());
    }
  }

  /** A slot within its delay is not handed over: a drained one has no delay. */
  private void beginToLeave(int slot) {
    Tenure tenure = mine.get(slot);
    if (tenure == null || tenure.leaving() || !tenure.serves(parts.clocks().read())) {
      return;
    }
    mine.put(slot, tenure.left());
    tenants
        .leave(slot)
        .compose(unused -> handOver(slot, tenure.taken()))
        .onFailure(failure -> LOG.warn("slot {} is not handed over yet", slot, failure));
  }

  /** Goes on until it is known to be drained: while that is in doubt nothing is let in. */
  private Future<Void> handOver(int slot, long taken) {
    Tenure tenure = mine.get(slot);
    if (tenure == null || tenure.taken() != taken) {
      return Future.succeededFuture();
    }
    return parts
        .commits()
        .submit(new HandOverTransaction(parts.keys(), slot, self, taken), deadlineNanos())
        .compose(
            commit -> {
              if (commit instanceof Commit.Judged) {
                // Drained now, or by an earlier sending, or somebody else's.
                end(slot, taken);
                return look();
              }
              return change.next(PERIOD.toMillis()).compose(unused -> handOver(slot, taken));
            });
  }

  private void end(int slot, long taken) {
    Tenure tenure = mine.get(slot);
    if (tenure != null && tenure.taken() == taken) {
      moves++;
      mine.remove(slot);
      tenants.moved();
      change.happened();
    }
  }

  /**
   * Hands everything over that can be; bounded by the caller. Others go on serving meanwhile, and
   * so does this gateway what it has not handed over yet.
   */
  public Future<Void> leave() {
    return parts
        .session()
        .leave()
        .otherwiseEmpty()
        .compose(unused -> look())
        .compose(unused -> untilLeft());
  }

  private Future<Void> untilLeft() {
    ClockReading now = parts.clocks().read();
    boolean left = mine.values().stream().noneMatch(it -> it.serves(now));
    SessionRecord seen = view.sessions().get(self);
    if (!left && seen != null && !seen.leaving()) {
      // What says so to the others was in doubt, or something else went in its place.
      parts.session().leave().otherwiseEmpty();
    }
    return left
        ? Future.succeededFuture()
        : change.next(PERIOD.toMillis()).compose(unused -> look()).compose(unused -> untilLeft());
  }

  private long deadlineNanos() {
    return parts.clocks().read().monotonicNanos() + PATIENCE.toNanos();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import io.fencegate.coordination.lease.LeaseBuckets;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.witness.CoordinatorHistory;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Collects transactions while a few batches are under way and commits them together, each with its
 * own compares, all behind the session's.
 *
 * <p>Three rooms: a transaction waits in one of two {@link WaitingRoom}s (those that put nothing
 * travel apart, so that they pass when nothing can be put), travels in a {@link Flight}, and where
 * its answer is missing goes through {@link Recovery} before it is sent again. What is still in
 * doubt at its deadline is answered so.
 *
 * <p>Transactions that put nothing are not bound to the session, so they pass without one and while
 * nothing can be put. Being late is harmless to them (see {@link Transaction#putsNothing()}), so
 * their doubt needs no settling either: they are sent again.
 *
 * <p>While the coordinator's history is lost, what rests on it is refused.
 *
 * <p>Two batches that are under way at once may hold transactions of one resource: the store judges
 * them one after the other, in either order.
 *
 * <p>Used from one context.
 */
public final class CommitBatcher {

  /** Transactions per batch: what fits the narrowest store beside the outer compares. */
  static final int MAX_MEMBERS = 100;

  /** Batches under way at once; more would only wait inside the store. */
  static final int MAX_IN_FLIGHT = 4;

  /**
   * While others are under way, a batch that is not full waits so long for more to go with it: each
   * costs every node of the store a write to its log, however little is in it.
   */
  static final long LINGER_MILLIS = 5;

  /** Transactions that may wait; beyond it the gateway is overloaded and says so. */
  static final int MAX_WAITING = 20_000;

  /**
   * From so many on, what is new is refused (see {@link Transaction#isNew()}): it is some seconds'
   * work of one gateway, and whoever would wait longer is better off trying later than with a lock
   * that comes when nobody wants it any more.
   */
  static final int MAX_WAITING_FOR_NEW = 8_000;

  /**
   * Transactions of one resource that may wait: a batch takes one of them, so more would not have
   * their turn in time.
   */
  static final int MAX_WAITING_PER_RESOURCE = 500;

  /**
   * What puts something and is submitted so long after a transaction was answered {@link
   * Commit.InDoubt} is judged after it: by then its sending has been answered, or the recovery has
   * begun that settles it before anything else is put.
   */
  public static final Duration SETTLING = Patience.LONGEST.plusSeconds(1);

  private final Vertx vertx;
  private final CoordinatorHistory history;
  private final Clocks clocks;
  private final WaitingRoom puts = new WaitingRoom();
  private final WaitingRoom deletes = new WaitingRoom();
  private final Flight.Parts flights;
  private final Recovery recovery;
  private CommitObserver observer = CommitObserver.NOBODY;
  private long arrivals;
  private int inFlight;
  private boolean deletesNext;
  private boolean deletesPaused;
  private boolean flushing;

  /** A timer runs that lets all go. */
  private boolean lingering;

  /** That timer has fired, and not everything has left since. */
  private boolean lingered;

  public CommitBatcher(
      Vertx vertx,
      CoordinationStore store,
      GatewaySession session,
      LeaseBuckets buckets,
      CoordinatorHistory history,
      Clocks clocks) {
    this.vertx = vertx;
    this.history = history;
    this.clocks = clocks;
    this.flights = new Flight.Parts(store, session, buckets, history, clocks, new Landing());
    this.recovery = new Recovery(vertx, session, new Recovered());
  }

  /** Tells this observer of every batch from now on, and no other. */
  public void observe(CommitObserver newObserver) {
    observer = newObserver;
  }

  /** How many transactions wait for a batch. */
  public int waiting() {
    return puts.size() + deletes.size();
  }

  /**
   * Commits a transaction with others.
   *
   * @param deadlineNanos monotonic; the answer is there by then
   * @return never fails
   */
  public Future<Commit> submit(Transaction transaction, long deadlineNanos) {
    ClockReading now = clocks.read();
    WaitingRoom room = roomFor(transaction);
    if (waiting() >= (transaction.isNew() ? MAX_WAITING_FOR_NEW : MAX_WAITING)) {
      return notCommitted(RefusalCode.OVERLOADED, "the coordinator's queue is full");
    }
    if (room.waitingFor(transaction.lane()) >= MAX_WAITING_PER_RESOURCE) {
      return notCommitted(
          RefusalCode.OVERLOADED, "too many calls for " + transaction.resource() + " at once");
    }
    if (!now.isBefore(deadlineNanos)) {
      return notCommitted(RefusalCode.COORDINATOR_UNAVAILABLE, "no time was left to ask it");
    }
    Optional<Refusal> lost = history.refusal().filter(unused -> transaction.needsHistory());
    if (lost.isPresent()) {
      return Future.succeededFuture(new Commit.NotCommitted(lost.get()));
    }
    Pending pending = new Pending(transaction, arrivals++);
    long timer =
        vertx.setTimer(Math.max(1, now.millisUntil(deadlineNanos)), unused -> expire(pending));
    pending.answer().onComplete(unused -> vertx.cancelTimer(timer));
    room.add(pending);
    flush();
    return pending.answer();
  }

  private static Future<Commit> notCommitted(RefusalCode code, String detail) {
    return Future.succeededFuture(new Commit.NotCommitted(code.because(detail)));
  }

  private WaitingRoom roomFor(Transaction transaction) {
    return transaction.putsNothing() ? deletes : puts;
  }

  /**
   * Sends what may go. A flight whose members are all refused ends at once, within this loop, which
   * then goes on instead of being entered again: there may be hundreds of them in a row.
   */
  private void flush() {
    if (flushing) {
      return;
    }
    flushing = true;
    while (inFlight < MAX_IN_FLIGHT && sendNext()) {
      // The next one.
    }
    flushing = false;
  }

  private boolean sendNext() {
    boolean putsGo = canPut() && goesNow(puts);
    boolean deletesGo = canDelete() && goesNow(deletes);
    if (!putsGo && !deletesGo) {
      lingered = false;
      linger();
      return false;
    }
    boolean takeDeletes = deletesGo && (deletesNext || !putsGo);
    deletesNext = !takeDeletes;
    WaitingRoom room = takeDeletes ? deletes : puts;
    inFlight++;
    new Flight(flights, takeDeletes)
        .send(room.take(MAX_MEMBERS, clocks.read().monotonicNanos()))
        .onComplete(
            unused -> {
              inFlight--;
              flush();
            });
    return true;
  }

  private boolean goesNow(WaitingRoom room) {
    return inFlight == 0 || lingered || room.ready() >= MAX_MEMBERS;
  }

  /** Lets all that waits go after a while, however little it is. */
  private void linger() {
    if (!lingering && (canPut() || canDelete())) {
      lingering = true;
      vertx.setTimer(
          LINGER_MILLIS,
          unused -> {
            lingering = false;
            lingered = true;
            flush();
          });
    }
  }

  private boolean canPut() {
    return !recovery.isUnderWay() && !puts.isEmpty();
  }

  private boolean canDelete() {
    return !deletesPaused && !deletes.isEmpty();
  }

  private void resumeDeletes() {
    deletesPaused = false;
    flush();
  }

  /** A flight holds transactions of one room, and settled ones come back in their old order. */
  private void putBack(List<Pending> members) {
    deletes.putBack(members.stream().filter(it -> it.transaction().putsNothing()).toList());
    puts.putBack(members.stream().filter(it -> !it.transaction().putsNothing()).toList());
  }

  private void expire(Pending pending) {
    roomFor(pending.transaction()).remove(pending);
    pending.giveUp("the coordinator did not answer in time");
  }

  private final class Landing implements Flight.Landing {
    @Override
    public void left(List<Pending> members) {
      putBack(members);
    }

    @Override
    public void fenced(List<Pending> members, boolean putsNothing) {
      deletesPaused |= putsNothing;
      putBack(members);
      recovery.begin();
    }

    @Override
    public void inDoubt(List<Pending> members, boolean putsNothing) {
      if (putsNothing) {
        deletesPaused = true;
        putBack(members);
        vertx.setTimer(Recovery.PAUSE.toMillis(), unused -> resumeDeletes());
      } else {
        recovery.settle(members);
      }
    }

    @Override
    public void answered(int members, long tookNanos, CommitObserver.Outcome outcome) {
      observer.answered(members, tookNanos, outcome);
    }
  }

  private final class Recovered implements Recovery.Listener {
    @Override
    public void sendAgain(List<Pending> settled) {
      putBack(settled);
    }

    @Override
    public void outOfSpace(String reason) {
      puts.takeAll().forEach(pending -> pending.giveUp(reason));
    }

    @Override
    public void done() {
      resumeDeletes();
    }
  }
}

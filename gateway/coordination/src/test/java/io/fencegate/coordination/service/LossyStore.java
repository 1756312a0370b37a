/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.LeaseTtl;
import io.fencegate.coordination.store.RangePage;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.store.StoreHealth;
import io.fencegate.coordination.store.Watch;
import io.fencegate.coordination.store.WatchEvent;
import io.fencegate.coordination.store.WatchListener;
import io.fencegate.coordination.store.WatchScope;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A real store behind a wire that loses replies, delivers requests late, or is cut off for good.
 */
public final class LossyStore implements CoordinationStore {

  /** What happens to the next batch that fits. */
  private record Fault(Predicate<Batch> fits, boolean late) {}

  /** A batch that waits, and who waits for its answer. */
  private record Held(Batch batch, Promise<BatchResult> answer) {}

  private final CoordinationStore store;
  private final List<Fault> faults = new ArrayList<>();
  private final List<Batch> delayed = new ArrayList<>();
  private final List<Predicate<Batch>> holding = new ArrayList<>();
  private final List<Held> held = new ArrayList<>();
  private final List<Predicate<Batch>> counted = new ArrayList<>();
  private final List<LossyWatch> watches = new ArrayList<>();
  private final AtomicInteger count = new AtomicInteger();
  private volatile Supplier<Long> watchDelayMillis = () -> 0L;
  private final Set<Future<BatchResult>> underWay = new HashSet<>();
  private int grantRepliesToLose;
  private boolean cut;

  public LossyStore(CoordinationStore store) {
    this.store = store;
  }

  /** The next batch that fits is committed, but its reply is lost. */
  public synchronized void loseReply(Predicate<Batch> fits) {
    faults.add(new Fault(fits, false));
  }

  /** The next batch that fits arrives only with {@link #deliverDelayed}, its reply is lost. */
  public synchronized void delay(Predicate<Batch> fits) {
    faults.add(new Fault(fits, true));
  }

  /** The next lease is granted, but the reply is lost. */
  synchronized void loseGrantReply() {
    grantRepliesToLose++;
  }

  /** Sends what was kept back; answers what becomes of it. */
  public synchronized List<Future<BatchResult>> deliverDelayed() {
    List<Future<BatchResult>> results = delayed.stream().map(store::commit).toList();
    delayed.clear();
    return results;
  }

  /** From now on the batches that fit wait for {@link #letGo}, and are answered then. */
  synchronized void hold(Predicate<Batch> fits) {
    holding.add(fits);
  }

  synchronized void letGo() {
    holding.clear();
    held.forEach(each -> send(each.batch()).onComplete(each.answer()));
    held.clear();
  }

  /** What was kept back never arrives. */
  public synchronized void dropDelayed() {
    delayed.clear();
  }

  /** Completes when nothing that left before is under way any more. */
  public synchronized Future<Void> landed() {
    return Future.join(List.copyOf(underWay)).transform(unused -> Future.succeededFuture());
  }

  /** From now on nothing leaves and no call is answered; what was kept back can still arrive. */
  public synchronized void cut() {
    cut = true;
  }

  private <T> Future<T> unlessCut(Supplier<Future<T>> call) {
    return cut ? Promise.<T>promise().future() : call.get();
  }

  /** The wire is good from now on. */
  public synchronized void forgetFaults() {
    faults.clear();
    grantRepliesToLose = 0;
  }

  synchronized boolean allFaultsHappened() {
    return faults.isEmpty() && grantRepliesToLose == 0;
  }

  /** Counts the batches that fit from now on. */
  synchronized void count(Predicate<Batch> fits) {
    counted.clear();
    counted.add(fits);
    count.set(0);
  }

  int counted() {
    return count.get();
  }

  /** What watches tell arrives so much later, each time anew, in its order. */
  void delayWatches(Supplier<Long> millis) {
    watchDelayMillis = millis;
  }

  /** All open watches end, and tell nothing of what was on its way. */
  synchronized void loseWatches() {
    List<LossyWatch> open = List.copyOf(watches);
    watches.clear();
    open.forEach(LossyWatch::lose);
  }

  @Override
  public synchronized Future<BatchResult> commit(Batch batch) {
    if (counted.stream().anyMatch(fits -> fits.test(batch))) {
      count.incrementAndGet();
    }
    if (cut) {
      return Promise.<BatchResult>promise().future();
    }
    if (holding.stream().anyMatch(fits -> fits.test(batch))) {
      Held waiting = new Held(batch, Promise.promise());
      held.add(waiting);
      return waiting.answer().future();
    }
    for (Fault fault : faults) {
      if (fault.fits().test(batch)) {
        faults.remove(fault);
        return fault.late() ? keep(batch) : send(batch).compose(unused -> lost());
      }
    }
    return send(batch);
  }

  private Future<BatchResult> send(Batch batch) {
    Future<BatchResult> sent = store.commit(batch);
    underWay.add(sent);
    sent.onComplete(unused -> forget(sent));
    return sent;
  }

  private synchronized void forget(Future<BatchResult> sent) {
    underWay.remove(sent);
  }

  private Future<BatchResult> keep(Batch batch) {
    delayed.add(batch);
    return lost();
  }

  private static <T> Future<T> lost() {
    return Future.failedFuture(
        new StoreException(StoreException.Kind.INDEFINITE, "the reply was lost"));
  }

  @Override
  public synchronized Future<LeaseHandle> grant(long ttlSeconds) {
    if (grantRepliesToLose > 0 && !cut) {
      grantRepliesToLose--;
      return store.grant(ttlSeconds).compose(unused -> lost());
    }
    return unlessCut(() -> store.grant(ttlSeconds));
  }

  @Override
  public synchronized Future<LeaseTtl> timeToLive(LeaseHandle lease) {
    return unlessCut(() -> store.timeToLive(lease));
  }

  @Override
  public synchronized Future<RangePage> range(KeyRange range, int limit) {
    return unlessCut(() -> store.range(range, limit));
  }

  @Override
  public Future<StoreHealth> health() {
    return store.health();
  }

  @Override
  public Watch watch(KeyRange range, long fromRevision, WatchScope scope, WatchListener listener) {
    LossyWatch watch = new LossyWatch(listener);
    watch.opened = store.watch(range, fromRevision, scope, watch);
    synchronized (this) {
      watches.add(watch);
    }
    return watch;
  }

  /** A watch whose news takes its time. */
  private final class LossyWatch implements Watch, WatchListener {
    private final Context context = Objects.requireNonNull(Vertx.currentContext());
    private final WatchListener listener;
    private volatile Watch opened = () -> {};
    private volatile boolean closed;
    private long lastAtNanos;

    LossyWatch(WatchListener listener) {
      this.listener = listener;
    }

    @Override
    public void changed(List<WatchEvent> events) {
      long delayMillis = watchDelayMillis.get();
      long now = System.nanoTime();
      lastAtNanos = Math.max(lastAtNanos, now + TimeUnit.MILLISECONDS.toNanos(delayMillis));
      long waitMillis = TimeUnit.NANOSECONDS.toMillis(lastAtNanos - now);
      if (waitMillis <= 0) {
        tell(events);
      } else {
        context.owner().setTimer(waitMillis, unused -> tell(events));
      }
    }

    private void tell(List<WatchEvent> events) {
      if (!closed) {
        listener.changed(events);
      }
    }

    @Override
    public void lost(String reason) {
      if (!closed) {
        closed = true;
        listener.lost(reason);
      }
    }

    void lose() {
      context.runOnContext(
          unused -> {
            opened.close();
            lost("the watch was cut");
          });
    }

    @Override
    public void close() {
      closed = true;
      opened.close();
    }
  }

  @Override
  public Future<Void> close() {
    return store.close();
  }
}

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
import io.fencegate.coordination.store.WatchListener;
import io.fencegate.coordination.store.WatchScope;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** A real store behind a wire that loses replies or delivers requests late. */
final class LossyStore implements CoordinationStore {

  /** What happens to the next batch that fits. */
  private record Fault(Predicate<Batch> fits, boolean late) {}

  private final CoordinationStore store;
  private final List<Fault> faults = new ArrayList<>();
  private final List<Batch> delayed = new ArrayList<>();

  LossyStore(CoordinationStore store) {
    this.store = store;
  }

  /** The next batch that fits is committed, but its reply is lost. */
  synchronized void loseReply(Predicate<Batch> fits) {
    faults.add(new Fault(fits, false));
  }

  /** The next batch that fits arrives only with {@link #deliverDelayed}, its reply is lost. */
  synchronized void delay(Predicate<Batch> fits) {
    faults.add(new Fault(fits, true));
  }

  synchronized List<Future<BatchResult>> deliverDelayed() {
    List<Future<BatchResult>> results = delayed.stream().map(store::commit).toList();
    delayed.clear();
    return results;
  }

  /** The wire is good from now on. */
  synchronized void forgetFaults() {
    faults.clear();
  }

  synchronized boolean allFaultsHappened() {
    return faults.isEmpty();
  }

  @Override
  public synchronized Future<BatchResult> commit(Batch batch) {
    for (Fault fault : faults) {
      if (fault.fits().test(batch)) {
        faults.remove(fault);
        return fault.late() ? keep(batch) : store.commit(batch).compose(unused -> lost());
      }
    }
    return store.commit(batch);
  }

  private Future<BatchResult> keep(Batch batch) {
    delayed.add(batch);
    return lost();
  }

  private static Future<BatchResult> lost() {
    return Future.failedFuture(
        new StoreException(StoreException.Kind.INDEFINITE, "the reply was lost"));
  }

  @Override
  public Future<LeaseHandle> grant(long ttlSeconds) {
    return store.grant(ttlSeconds);
  }

  @Override
  public Future<LeaseTtl> timeToLive(LeaseHandle lease) {
    return store.timeToLive(lease);
  }

  @Override
  public Future<RangePage> range(KeyRange range, int limit) {
    return store.range(range, limit);
  }

  @Override
  public Future<StoreHealth> health() {
    return store.health();
  }

  @Override
  public Watch watch(KeyRange range, long fromRevision, WatchScope scope, WatchListener listener) {
    return store.watch(range, fromRevision, scope, listener);
  }

  @Override
  public Future<Void> close() {
    return store.close();
  }
}

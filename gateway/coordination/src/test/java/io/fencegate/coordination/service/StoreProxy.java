/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.LeaseTtl;
import io.fencegate.coordination.store.RangePage;
import io.fencegate.coordination.store.StoreHealth;
import io.fencegate.coordination.store.Watch;
import io.fencegate.coordination.store.WatchListener;
import io.fencegate.coordination.store.WatchScope;
import io.vertx.core.Future;

/** Hands everything on to a real store, which may be exchanged for another behind it. */
public class StoreProxy implements CoordinationStore {

  private volatile CoordinationStore store;

  protected StoreProxy(CoordinationStore store) {
    this.store = store;
  }

  void leadTo(CoordinationStore other) {
    this.store = other;
  }

  protected final CoordinationStore real() {
    return store;
  }

  @Override
  public Future<BatchResult> commit(Batch batch) {
    return store.commit(batch);
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
  public Watch watch(KeyRange range, long fromRevision, WatchScope scope, WatchListener listener) {
    return store.watch(range, fromRevision, scope, listener);
  }

  @Override
  public Future<StoreHealth> health() {
    return store.health();
  }

  @Override
  public Future<Void> close() {
    return store.close();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

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

/** A wire to a real store on which reads of some ranges fail while all else goes on. */
final class FaultyReads {

  private volatile String refused = "";

  /** From now on reads of ranges with this in their first key fail; none where it is empty. */
  void refuse(String part) {
    refused = part;
  }

  CoordinationStore before(CoordinationStore store) {
    return new Wire(store);
  }

  private final class Wire implements CoordinationStore {
    private final CoordinationStore store;

    Wire(CoordinationStore store) {
      this.store = store;
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
      String part = refused;
      return !part.isEmpty() && range.from().path().contains(part)
          ? Future.failedFuture(
              new StoreException(StoreException.Kind.INDEFINITE, "the read was lost"))
          : store.range(range, limit);
    }

    @Override
    public Watch watch(
        KeyRange range, long fromRevision, WatchScope scope, WatchListener listener) {
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
}

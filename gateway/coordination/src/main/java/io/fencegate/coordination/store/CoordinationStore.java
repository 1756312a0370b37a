/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

import io.vertx.core.Future;

/**
 * A linearizable store. Every future completes on the caller's context within a bounded time; it
 * fails with {@link StoreException} only. Watches wake somebody up, only transactions and ranges
 * decide.
 */
public interface CoordinationStore {

  /** Judges and commits a batch; durable when it answers. */
  Future<BatchResult> commit(Batch batch);

  /**
   * A new lease that runs out by itself after {@code ttlSeconds}; never kept alive. It lives at
   * least that long from the store's view, also over a restart of the store, and so at least until
   * {@code ttlSeconds} after the request left.
   *
   * @param ttlSeconds 1 to 86,400
   */
  Future<LeaseHandle> grant(long ttlSeconds);

  Future<LeaseTtl> timeToLive(LeaseHandle lease);

  /**
   * Linearizable.
   *
   * @param limit 1 to 10,000
   */
  Future<RangePage> range(KeyRange range, int limit);

  /**
   * Watches a range for changes with a revision of {@code fromRevision} and later.
   *
   * @param fromRevision 1 or more; may lie in the past as far as history is kept
   */
  Watch watch(KeyRange range, long fromRevision, WatchListener listener);

  /** Completes when everything accepted before has been answered. Idempotent. */
  Future<Void> close();
}

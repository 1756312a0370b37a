/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lease;

import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.LeaseTtl;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Hands out the current bucket of each TTL class and knows how long any lease still lives.
 *
 * <p>One lease per lock would mean tens of thousands of leases and keep-alives. Instead one lease
 * per class and second is granted, never kept alive, and a renewal moves the lock's key onto the
 * current bucket by a committed transaction. So the store alone decides expiry, and a bucket that
 * runs out takes exactly the locks that were not renewed.
 *
 * <p>So the store's leases are few, whatever number of locks is held: per class one for each second
 * of its TTL, and one more for each {@value #MAX_KEYS} keys beyond the first per second. 2,000
 * acquires and 2,000 renewals a second of 30 s locks, whose requests are kept for 2 minutes, come
 * to some 5 leases a second that live 31 s and 3 that live 121 s: about 520 live ones.
 *
 * <p>Used from one context.
 */
public final class LeaseBuckets {

  /** Keys per bucket: an expiry deletes them all in one step of the store. */
  static final int MAX_KEYS = 1_000;

  /** Cached deadlines of foreign leases; beyond it the cache starts anew. */
  private static final int MAX_CACHED = 10_000;

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private static final class Slot {
    @Nullable Bucket bucket;
    int keys;
    @Nullable Future<Bucket> granting;
  }

  private final CoordinationStore store;
  private final Clocks clocks;
  private final Map<TtlClass, Slot> slots = new HashMap<>();
  private final Map<LeaseHandle, Long> deadlines = new HashMap<>();

  public LeaseBuckets(CoordinationStore store, Clocks clocks) {
    this.store = store;
    this.clocks = clocks;
  }

  /**
   * The bucket to put keys of this class on; granted now where the last one is too old or full.
   *
   * @param keys how many the caller may put on it, at most {@value #MAX_KEYS}
   */
  public Future<Bucket> current(TtlClass ttlClass, int keys) {
    ClockReading now = clocks.read();
    Slot slot = slots.computeIfAbsent(ttlClass, unused -> new Slot());
    if (slot.bucket != null && slot.bucket.isUsable(now) && slot.keys + keys <= MAX_KEYS) {
      slot.keys += keys;
      return Future.succeededFuture(slot.bucket);
    }
    return granting(ttlClass, slot)
        .compose(
            bucket -> {
              if (slot.keys + keys > MAX_KEYS) {
                // Others who waited for the same grant have filled it.
                return current(ttlClass, keys);
              }
              slot.keys += keys;
              return Future.succeededFuture(bucket);
            });
  }

  /** This bucket's lease may be gone: do not hand it out again. */
  public void discard(Bucket gone) {
    Slot slot = slots.get(gone.ttlClass());
    if (slot != null && gone.equals(slot.bucket)) {
      slot.bucket = null;
    }
  }

  /** All leases may be gone: do not hand any of them out again. */
  public void discardAll() {
    slots.values().forEach(slot -> slot.bucket = null);
  }

  /** Until when a lease lives for certain (monotonic), where that is known without asking. */
  public OptionalLong knownDeadlineNanos(LeaseHandle lease) {
    Long known = deadlines.get(lease);
    return known == null ? OptionalLong.empty() : OptionalLong.of(known);
  }

  /**
   * Until when a lease lives for certain (monotonic). Of a bucket of this gateway it is known; of
   * another's it is asked and kept: a kept deadline may turn out too early, never too late. Where
   * the store says that the lease is gone, or lives longer than its lock's class, it is asked again
   * the next time: a new leader may not know the lease yet, and a lock may have been renewed for
   * longer than it was granted.
   *
   * @param ttlClass that the lock on it was granted: no more than that is taken from the store
   */
  public Future<Long> deadlineNanos(LeaseHandle lease, TtlClass ttlClass) {
    Long known = deadlines.get(lease);
    if (known != null) {
      return Future.succeededFuture(known);
    }
    long askedNanos = clocks.read().monotonicNanos();
    return store
        .timeToLive(lease)
        .map(
            ttl ->
                ttl instanceof LeaseTtl.Alive alive
                    ? heard(lease, ttlClass, askedNanos, alive.remainingSeconds())
                    : askedNanos);
  }

  private long heard(LeaseHandle lease, TtlClass ttlClass, long askedNanos, long remainingSeconds) {
    long mostSeconds = ttlClass.ttl().toSeconds() + Bucket.SECONDS_ON_TOP;
    return remainingSeconds > mostSeconds
        ? askedNanos + mostSeconds * NANOS_PER_SECOND
        : remember(lease, askedNanos + remainingSeconds * NANOS_PER_SECOND);
  }

  /**
   * The grant that is under way, or a new one. It is noted before its end is listened for: it may
   * have ended already, and then must not stay noted.
   */
  private Future<Bucket> granting(TtlClass ttlClass, Slot slot) {
    Future<Bucket> underWay = slot.granting;
    if (underWay != null) {
      return underWay;
    }
    Future<Bucket> granting = grant(ttlClass, slot);
    slot.granting = granting;
    granting.onComplete(unused -> slot.granting = null);
    return granting;
  }

  private Future<Bucket> grant(TtlClass ttlClass, Slot slot) {
    long askedNanos = clocks.read().monotonicNanos();
    return store
        .grant(ttlClass.seconds() + Bucket.SECONDS_ON_TOP)
        .map(lease -> new Bucket(lease, ttlClass, askedNanos))
        .onSuccess(
            bucket -> {
              slot.bucket = bucket;
              slot.keys = 0;
              long unused = remember(bucket.lease(), bucket.deadlineNanos());
            });
  }

  /** Keeps the earlier one of this deadline and the one that is kept, and answers it. */
  private long remember(LeaseHandle lease, long deadline) {
    if (deadlines.size() >= MAX_CACHED) {
      ClockReading now = clocks.read();
      deadlines.values().removeIf(passed -> !now.isBefore(passed));
    }
    if (deadlines.size() >= MAX_CACHED) {
      deadlines.clear();
    }
    return deadlines.merge(lease, deadline, (kept, heard) -> heard - kept < 0 ? heard : kept);
  }
}

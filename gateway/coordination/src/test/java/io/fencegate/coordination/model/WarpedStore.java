/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.model;

import io.fencegate.coordination.service.StoreProxy;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.LeaseTtl;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A store with clocks of its own, seen by the test's: a lease ends when its time has passed on
 * them. Ending it sooner than the store would is what happens when time really passes.
 */
final class WarpedStore extends StoreProxy {

  private record Span(long askedNanos, long ttlSeconds) {

    long remainingNanos(long now) {
      return askedNanos + Duration.ofSeconds(ttlSeconds).toNanos() - now;
    }
  }

  private final Clocks clocks;
  private final Map<LeaseHandle, Span> spans = new HashMap<>();

  WarpedStore(CoordinationStore store, Clocks clocks) {
    super(store);
    this.clocks = clocks;
  }

  private long now() {
    return clocks.read().monotonicNanos();
  }

  /** Leases whose time is over; each is told once. */
  synchronized List<LeaseHandle> takeEnded() {
    List<LeaseHandle> ended = new ArrayList<>();
    long now = now();
    spans.forEach(
        (lease, span) -> {
          if (span.remainingNanos(now) <= 0) {
            ended.add(lease);
          }
        });
    ended.forEach(spans::remove);
    return ended;
  }

  private synchronized void remember(LeaseHandle lease, Span span) {
    spans.put(lease, span);
  }

  @Override
  public Future<LeaseHandle> grant(long ttlSeconds) {
    Span span = new Span(now(), ttlSeconds);
    return real().grant(ttlSeconds).onSuccess(lease -> remember(lease, span));
  }

  @Override
  public Future<LeaseTtl> timeToLive(LeaseHandle lease) {
    return real().timeToLive(lease).map(found -> warped(lease, found));
  }

  private synchronized LeaseTtl warped(LeaseHandle lease, LeaseTtl found) {
    Span span = spans.get(lease);
    if (span == null || !(found instanceof LeaseTtl.Alive)) {
      return new LeaseTtl.Gone();
    }
    long remaining = span.remainingNanos(now());
    return remaining <= 0
        ? new LeaseTtl.Gone()
        : new LeaseTtl.Alive(Duration.ofNanos(remaining).toSeconds());
  }
}

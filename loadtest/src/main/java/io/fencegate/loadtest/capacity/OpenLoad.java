/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.lock.LockService;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The simulation's load without HTTP: so many acquires, renewals and releases a second, come what
 * may, against a lock service in this process. Times count from when a call was due, so waiting for
 * a busy program counts too.
 */
final class OpenLoad {

  private static final int TICK_MILLIS = 5;
  private static final int HELD = 2_000;
  private static final Duration MAX_HOLD = Duration.ofHours(12);
  private static final double NANOS_PER_SECOND = 1e9;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final InProcessLocks gateway;
  private final double perSecond;
  private final Tally tally;
  private final long startNanos = System.nanoTime();
  private final long warmNanos;
  private final long endNanos;
  private final List<Grant> held = new ArrayList<>();
  private final Deque<Grant> toRelease = new ArrayDeque<>();
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private long issued;
  private long underWay;

  private OpenLoad(InProcessLocks gateway, double perSecond, Times times, Tally tally) {
    this.gateway = gateway;
    this.perSecond = perSecond;
    this.tally = tally;
    this.warmNanos = startNanos + times.warmUp().toNanos();
    this.endNanos = warmNanos + times.measured().toNanos();
  }

  /** How long to load, and how much of it counts. */
  record Times(Duration warmUp, Duration measured) {}

  /** Loads and blocks until all calls were answered; they are tallied as {@link Phase#STEADY}. */
  static void run(InProcessLocks gateway, double perSecond, Times times, Tally tally) {
    OpenLoad load = new OpenLoad(gateway, perSecond, times, tally);
    gateway.context().runOnContext(unused -> gateway.vertx().setPeriodic(TICK_MILLIS, load::tick));
    load.done.join();
  }

  private void tick(long timer) {
    long now = System.nanoTime();
    long due = (long) ((Math.min(now, endNanos) - startNanos) * perSecond / NANOS_PER_SECOND);
    while (issued < due) {
      long dueNanos = startNanos + (long) (issued * NANOS_PER_SECOND / perSecond);
      issue(issued, dueNanos);
      issued++;
    }
    if (now - endNanos >= 0 && underWay == 0) {
      gateway.vertx().cancelTimer(timer);
      done.complete(null);
    }
  }

  private void issue(long number, long dueNanos) {
    LockService locks = gateway.locks();
    measured(
            LockOp.ACQUIRE,
            dueNanos,
            () ->
                locks
                    .acquire(
                        gateway.request(
                            "open/" + startNanos + "-" + number, "o" + startNanos + number),
                        gateway.deadlineNanos())
                    .compose(InProcessLocks::value))
        .onSuccess(held.size() < HELD ? held::add : toRelease::add);
    if (!held.isEmpty()) {
      Grant grant = held.get((int) (number % held.size()));
      measured(
          LockOp.RENEW,
          dueNanos,
          () ->
              locks
                  .renew(
                      grant.resource(),
                      grant.leaseId(),
                      Optional.empty(),
                      MAX_HOLD,
                      gateway.deadlineNanos())
                  .compose(InProcessLocks::value));
    }
    Grant next = toRelease.poll();
    if (next != null) {
      measured(
          LockOp.RELEASE,
          dueNanos,
          () ->
              locks
                  .release(next.resource(), next.leaseId(), gateway.deadlineNanos())
                  .compose(InProcessLocks::value));
    }
  }

  private <T> Future<T> measured(LockOp op, long dueNanos, Supplier<Future<T>> call) {
    underWay++;
    return call.get()
        .onComplete(
            result -> {
              underWay--;
              if (dueNanos - warmNanos < 0) {
                return;
              }
              long millis = (System.nanoTime() - dueNanos) / NANOS_PER_MILLI;
              if (result.succeeded()) {
                tally.ok(Phase.STEADY, op, millis);
              } else {
                tally.failed(Phase.STEADY, op, millis, String.valueOf(result.cause().getMessage()));
              }
            });
  }
}

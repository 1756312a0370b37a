/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import io.fencegate.coordination.Coordination;
import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.coordination.etcd.EtcdStore;
import io.fencegate.coordination.lock.AcquireRequest;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.lock.LockService;
import io.fencegate.coordination.lock.Release;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.loadtest.measure.MeasurementFailure;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.name.HolderId;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.RequestId;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The gateway's lock service in this process, without HTTP in front of it. */
final class InProcessLocks implements AutoCloseable, Cycles {

  private static final Duration TTL = Duration.ofMillis(LoadPlan.TTL_MILLIS);
  private static final Duration RETENTION = Duration.ofMinutes(2);
  private static final Duration BUDGET = Duration.ofSeconds(5);
  private static final long PATIENCE_SECONDS = 30;

  private final SecureRandom random = new SecureRandom();
  private final Clocks clocks =
      () -> new ClockReading(System.nanoTime(), System.currentTimeMillis());
  private final String runId = Long.toHexString(System.nanoTime());
  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private final CoordinationStore store;
  private final Coordination coordination;
  private long cycles;

  InProcessLocks(List<String> endpoints) {
    this.store =
        await(
            EtcdStore.open(
                vertx,
                EtcdSettings.of(endpoints),
                clocks,
                () -> ThreadLocalRandom.current().nextDouble()));
    this.coordination =
        call(
            () ->
                Future.succeededFuture(
                    Coordination.start(
                        new Coordination.Setup(
                            vertx,
                            store,
                            "capacity",
                            clocks,
                            "in-process",
                            this::random,
                            new DrainBarrier(Duration.ofMillis(250)),
                            () -> Duration.ofSeconds(1)),
                        () -> {})));
    call(() -> coordination.session().refresh());
  }

  private byte[] random(int bytes) {
    byte[] out = new byte[bytes];
    random.nextBytes(out);
    return out;
  }

  Vertx vertx() {
    return vertx;
  }

  Context context() {
    return context;
  }

  /** Runs on the context and blocks for the result. */
  <T> T call(Supplier<Future<T>> work) {
    Promise<T> promise = Promise.promise();
    context.runOnContext(unused -> work.get().onComplete(promise));
    return await(promise.future());
  }

  private static <T> T await(Future<T> future) {
    return future
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .join();
  }

  LockService locks() {
    return coordination.locks();
  }

  /** A request for a resource of this run. */
  AcquireRequest request(String resource, String requestId) {
    return new AcquireRequest(
        ResourceName.parse(resource).orThrow(),
        Principal.ANONYMOUS,
        RequestId.parse(runId + "-" + requestId).orThrow(),
        new HolderId("worker"),
        TTL,
        "{}",
        RETENTION);
  }

  long deadlineNanos() {
    return System.nanoTime() + BUDGET.toNanos();
  }

  static <T> Future<T> value(Ruling<T> ruling) {
    return ruling.fold(
        Future::succeededFuture,
        refusal -> Future.failedFuture(new MeasurementFailure("refused: " + refusal)));
  }

  @Override
  public String name() {
    return "Fencegate, in process";
  }

  @Override
  public Future<Void> cycle(long number) {
    return locks()
        .acquire(request("cycle/" + number % 100_000, "y" + cycles++), deadlineNanos())
        .compose(InProcessLocks::value)
        .compose(this::release);
  }

  private Future<Void> release(Grant grant) {
    return locks()
        .release(grant.resource(), grant.leaseId(), deadlineNanos())
        .compose(InProcessLocks::value)
        .compose(
            release ->
                release == Release.RELEASED
                    ? Future.succeededFuture()
                    : Future.failedFuture(new MeasurementFailure("not released: " + release)));
  }

  @Override
  public void close() {
    call(coordination::close);
    await(store.close());
    await(vertx.close());
  }
}

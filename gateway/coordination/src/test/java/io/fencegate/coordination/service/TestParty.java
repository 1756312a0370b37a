/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import io.fencegate.coordination.Coordination;
import io.fencegate.coordination.lock.AcquireRequest;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.lock.Release;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.witness.CoordinatorHistory;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.awaitility.Awaitility;

/** A gateway's coordination with its witness in a directory of its own, on a context of its own. */
final class TestParty {

  static final String PREFIX = "test";

  private static final Duration BUDGET = Duration.ofSeconds(10);
  private static final Duration SESSION_PATIENCE = Duration.ofSeconds(60);
  private static final SecureRandom RANDOM = new SecureRandom();

  final Context context;
  final Coordination coordination;
  final AtomicInteger doubtfulPasts;
  private final Clocks clocks;

  private TestParty(
      Context context, Coordination coordination, AtomicInteger doubtfulPasts, Clocks clocks) {
    this.context = context;
    this.coordination = coordination;
    this.doubtfulPasts = doubtfulPasts;
    this.clocks = clocks;
  }

  static TestParty open(Vertx vertx, CoordinationStore store, Clocks clocks, Path witness) {
    Context context = vertx.getOrCreateContext();
    AtomicInteger doubtfulPasts = new AtomicInteger();
    Promise<Coordination> started = Promise.promise();
    context.runOnContext(
        unused ->
            CoordinatorHistory.open(vertx, witness)
                .map(
                    history ->
                        Coordination.start(
                            new Coordination.Setup(
                                vertx,
                                store,
                                PREFIX,
                                clocks,
                                "here:1",
                                TestParty::random,
                                new DrainBarrier(Duration.ofMillis(250)),
                                () -> Duration.ofSeconds(1)),
                            history,
                            doubtfulPasts::incrementAndGet))
                .onComplete(started));
    return new TestParty(
        context, CoordinationFixture.await(started.future()), doubtfulPasts, clocks);
  }

  private static byte[] random(int bytes) {
    byte[] out = new byte[bytes];
    RANDOM.nextBytes(out);
    return out;
  }

  <T> T call(Supplier<Future<T>> work) {
    return CoordinationFixture.await(start(work));
  }

  <T> Future<T> start(Supplier<Future<T>> work) {
    Promise<T> promise = Promise.promise();
    context.runOnContext(unused -> work.get().onComplete(promise));
    return promise.future();
  }

  /** Reads something that lives on the context. */
  <T> T get(Supplier<T> what) {
    return call(() -> Future.succeededFuture(what.get()));
  }

  long deadline() {
    return clocks.read().monotonicNanos() + BUDGET.toNanos();
  }

  Ruling<Grant> acquire(AcquireRequest request) {
    return call(() -> coordination.locks().acquire(request, deadline()));
  }

  Ruling<Release> release(Grant grant) {
    return call(() -> coordination.locks().release(grant.resource(), grant.leaseId(), deadline()));
  }

  Ruling<?> show(ResourceName resource) {
    return call(() -> coordination.locks().show(resource, deadline()));
  }

  /** Proves the session now; a coordinator that has just started may not answer at once. */
  void awaitSession() {
    Awaitility.await()
        .atMost(SESSION_PATIENCE)
        .until(() -> call(() -> coordination.session().refresh().map(true).otherwise(false)));
  }

  void close() {
    call(() -> coordination.close());
  }
}

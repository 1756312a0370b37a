/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.model;

import io.fencegate.coordination.Coordination;
import io.fencegate.coordination.lock.AcquireRequest;
import io.fencegate.coordination.lock.LockView;
import io.fencegate.coordination.lock.Release;
import io.fencegate.coordination.lock.WaitTerms;
import io.fencegate.coordination.model.Observed.Answer;
import io.fencegate.coordination.model.Observed.Kind;
import io.fencegate.coordination.service.LossyStore;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.name.HolderId;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.RequestId;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.LeaseId;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** A gateway's coordination on its own wire and context; answers in the oracle's words. */
record Gateway(Context context, Coordination coordination, LossyStore wire) {

  private static final Duration MAX_HOLD = Duration.ofHours(12);

  /** Long enough for a release of the same step, short enough for many steps. */
  private static final Duration PATIENCE = Duration.ofMillis(80);

  private static final int MAX_WAITERS = 64;
  private static final SecureRandom RANDOM = new SecureRandom();

  static Gateway start(World.Ground ground, String prefix) {
    LossyStore wire = new LossyStore(ground.store());
    Context context = ground.vertx().getOrCreateContext();
    Promise<Coordination> started = Promise.promise();
    context.runOnContext(
        unused ->
            started.complete(
                Coordination.start(
                    new Coordination.Setup(
                        ground.vertx(),
                        wire,
                        prefix,
                        ground.clocks(),
                        "here:1",
                        Gateway::random,
                        new DrainBarrier(Duration.ofMillis(250)),
                        () -> Duration.ofSeconds(1)),
                    () -> {})));
    Gateway gateway = new Gateway(context, World.await(started.future()), wire);
    World.await(gateway.on(() -> gateway.coordination.session().refresh()));
    return gateway;
  }

  private static byte[] random(int bytes) {
    byte[] out = new byte[bytes];
    RANDOM.nextBytes(out);
    return out;
  }

  private <T> Future<T> on(Supplier<Future<T>> work) {
    Promise<T> promise = Promise.promise();
    context.runOnContext(unused -> work.get().onComplete(promise));
    return promise.future();
  }

  static ResourceName resource(Call call) {
    return ResourceName.parse("model/" + call.resource()).orThrow();
  }

  /** Its wire is cut already; its timers end, its answers never come. */
  void crash() {
    context.runOnContext(unused -> coordination.close());
  }

  Future<Void> close() {
    return on(coordination::close);
  }

  /**
   * Makes a call.
   *
   * @param lease what was granted, where the call is about a lease
   */
  Future<Answer> call(Call call, Answer lease, long deadlineNanos) {
    ResourceName resource = resource(call);
    return on(
        () ->
            switch (call.what()) {
              case ACQUIRE, WAIT -> acquire(resource, call, deadlineNanos);
              case RENEW -> renew(resource, lease, deadlineNanos);
              case RELEASE -> release(resource, lease, deadlineNanos);
              case VERIFY -> verify(resource, lease, deadlineNanos);
              case SHOW -> show(resource, deadlineNanos);
            });
  }

  private Future<Answer> acquire(ResourceName resource, Call call, long deadlineNanos) {
    AcquireRequest request =
        new AcquireRequest(
            resource,
            new Principal(call.principal()),
            RequestId.parse(call.requestId()).orThrow(),
            new HolderId(call.changed() ? "somebody else" : "somebody"),
            Duration.ofSeconds(call.ttlSeconds()),
            "{}",
            Transitions.MEMORY);
    return coordination
        .locks()
        .acquire(request, terms(call), deadlineNanos)
        .answer()
        .map(
            ruling ->
                told(
                    ruling,
                    grant ->
                        new Answer(
                            Kind.GRANTED,
                            grant.token().value(),
                            grant.leaseId().reveal(),
                            grant.remainingMillis())));
  }

  private static WaitTerms terms(Call call) {
    return call.what() == Call.What.WAIT
        ? new WaitTerms(PATIENCE, MAX_WAITERS, MAX_WAITERS)
        : WaitTerms.NONE;
  }

  private static LeaseId leaseId(Answer lease) {
    return LeaseId.parse(lease.lease()).orThrow();
  }

  private Future<Answer> renew(ResourceName resource, Answer lease, long deadlineNanos) {
    return coordination
        .locks()
        .renew(resource, leaseId(lease), Optional.empty(), MAX_HOLD, deadlineNanos)
        .map(
            ruling ->
                told(
                    ruling,
                    renewal ->
                        new Answer(
                            Kind.RENEWED, renewal.token().value(), "", renewal.remainingMillis())));
  }

  private Future<Answer> release(ResourceName resource, Answer lease, long deadlineNanos) {
    return coordination
        .locks()
        .release(resource, leaseId(lease), deadlineNanos)
        .map(ruling -> told(ruling, release -> Answer.of(kind(release))));
  }

  private static Kind kind(Release release) {
    return switch (release) {
      case RELEASED -> Kind.RELEASED;
      case ALREADY_RELEASED -> Kind.ALREADY_RELEASED;
      case NOT_HELD -> Kind.NOT_HELD;
    };
  }

  private Future<Answer> verify(ResourceName resource, Answer lease, long deadlineNanos) {
    WriteHeader header = new WriteHeader(new FencingToken(lease.token()), leaseId(lease).proof());
    return coordination
        .epochs()
        .verifyAndRaise(resource, header, true, null, deadlineNanos)
        .map(ruling -> told(ruling, verified -> Answer.of(Kind.VERIFIED)));
  }

  private Future<Answer> show(ResourceName resource, long deadlineNanos) {
    return coordination
        .locks()
        .show(resource, deadlineNanos)
        .map(ruling -> told(ruling, view -> view.fold(Gateway::held, Gateway::free)));
  }

  private static Answer held(LockView.Held held) {
    return new Answer(Kind.SHOWN_HELD, held.token().value(), "", held.remainingMillis());
  }

  private static Answer free(LockView.Free free) {
    return Answer.of(Kind.SHOWN_FREE);
  }

  private static <T> Answer told(Ruling<T> ruling, Function<? super T, Answer> granted) {
    return ruling.<Answer>fold(granted, refusal -> Answer.of(kind(refusal)));
  }

  private static Kind kind(Refusal refusal) {
    if (refusal.certainty() == Certainty.UNKNOWN) {
      return Kind.UNKNOWN;
    }
    return switch (refusal.code()) {
      case LOCK_HELD -> Kind.HELD;
      case WAIT_TIMEOUT -> Kind.WAITED;
      case REQUEST_ID_REUSED -> Kind.REQUEST_ID_REUSED;
      case LEASE_LOST -> Kind.LOST;
      case STALE_TOKEN, LEASE_EXPIRED, TOKEN_NOT_ISSUED -> Kind.STALE;
      case COORDINATOR_UNAVAILABLE, OVERLOADED -> Kind.NOT_DONE;
      default -> throw new AssertionError("refused: " + refusal);
    };
  }
}

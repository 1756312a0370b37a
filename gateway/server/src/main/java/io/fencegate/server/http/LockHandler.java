/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.coordination.lock.AcquireCall;
import io.fencegate.coordination.lock.AcquireRequest;
import io.fencegate.coordination.lock.Cancellation;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.lock.LockService;
import io.fencegate.coordination.lock.LockView;
import io.fencegate.coordination.lock.Release;
import io.fencegate.coordination.lock.Renewal;
import io.fencegate.coordination.lock.WaitTerms;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.observe.LockObserver;
import io.fencegate.server.policy.ActivePolicies;
import io.fencegate.server.policy.MatchedPolicy;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The lock endpoints: parse, match, ask the lock service, answer. */
final class LockHandler {

  /** A lock request with its metadata is far below this. */
  private static final int MAX_BODY_BYTES = 16 * 1024;

  /** How long the coordinator may take. */
  private static final Duration BUDGET = Duration.ofSeconds(5);

  private final LockService locks;
  private final ActivePolicies policies;
  private final Clocks clocks;
  private final LockObserver observer;
  private final RequestGate gate;

  LockHandler(
      LockService locks,
      ActivePolicies policies,
      Clocks clocks,
      LockObserver observer,
      RequestGate gate) {
    this.locks = locks;
    this.policies = policies;
    this.clocks = clocks;
    this.observer = observer;
    this.gate = gate;
  }

  void acquire(RoutingContext context) {
    withBody(
        context,
        LockRequestParser::acquire,
        LockRequestParser.Acquire::resource,
        request -> acquire(context, request));
  }

  private Future<Ruling<JsonObject>> acquire(
      RoutingContext context, LockRequestParser.Acquire given) {
    Ruling<ResourcePolicy> policy =
        policies.match(given.resource()).map(MatchedPolicy::policy).then(LockHandler::withLock);
    return policy.fold(
        found ->
            given
                .under(found, Principal.ANONYMOUS)
                .fold(
                    request -> acquire(context, request, given.wait(found, Principal.ANONYMOUS)),
                    refusal -> refused(refusal)),
        refusal -> refused(refusal));
  }

  /** A lock would hand out tokens that no write is accepted with. */
  private static Ruling<ResourcePolicy> withLock(ResourcePolicy policy) {
    return policy.fencing().isOfLocks()
        ? Ruling.granted(policy)
        : Ruling.refused(
            RefusalCode.UNKNOWN_RESOURCE.because(
                "there is no lock: the tokens of policy "
                    + policy.name()
                    + " come from source "
                    + policy.fencing().source().wireName()));
  }

  /** A wait ends with its caller's connection; the gateway waits for that before it stops. */
  private Future<Ruling<JsonObject>> acquire(
      RoutingContext context, AcquireRequest request, WaitTerms terms) {
    ClockReading start = clocks.read();
    AcquireCall call = locks.acquire(request, terms, deadline(start));
    if (!terms.patience().isZero()) {
      context.addEndHandler(unused -> call.abandon());
    }
    return gate.track(call.answer())
        .onSuccess(ruling -> observer.acquired(request, terms.patience(), ruling, since(start)))
        .map(ruling -> ruling.map(this::json));
  }

  void cancel(RoutingContext context) {
    withBody(context, LockRequestParser::cancel, LockRequestParser.Cancel::resource, this::cancel);
  }

  private Future<Ruling<JsonObject>> cancel(LockRequestParser.Cancel request) {
    ClockReading start = clocks.read();
    return locks
        .cancel(request.resource(), Principal.ANONYMOUS, request.requestId(), deadline(start))
        .onSuccess(ruling -> observer.cancelled(request.resource(), ruling, since(start)))
        .map(ruling -> ruling.map(cancellation -> json(request.resource(), cancellation)));
  }

  private static JsonObject json(ResourceName resource, Cancellation cancellation) {
    boolean cancelled = cancellation == Cancellation.CANCELLED;
    JsonObject answer =
        new JsonObject().put("resource", resource.value()).put("cancelled", cancelled);
    return cancelled ? answer : answer.put("reason", cancellation.wireName());
  }

  private JsonObject json(Grant grant) {
    return new JsonObject()
        .put("resource", grant.resource().value())
        .put("leaseId", grant.leaseId().reveal())
        .put("fencingToken", grant.token().toString())
        .put("leaseTtlMs", grant.ttl().toMillis())
        .put("remainingMs", grant.remainingMillis())
        .put("expiresAt", expiresAt(grant.remainingMillis()))
        .put("holder", grant.holder().value());
  }

  void renew(RoutingContext context) {
    withBody(context, LockRequestParser::renew, LockRequestParser.Renew::resource, this::renew);
  }

  private Future<Ruling<JsonObject>> renew(LockRequestParser.Renew request) {
    Ruling<ResourcePolicy> policy = policies.match(request.resource()).map(MatchedPolicy::policy);
    return policy.fold(
        found ->
            request
                .ttlUnder(found)
                .fold(ttl -> renew(request, found, ttl), refusal -> refused(refusal)),
        refusal -> refused(refusal));
  }

  private Future<Ruling<JsonObject>> renew(
      LockRequestParser.Renew request, ResourcePolicy policy, Optional<Duration> ttl) {
    ClockReading start = clocks.read();
    return locks
        .renew(
            request.resource(), request.leaseId(), ttl, policy.lease().maxHold(), deadline(start))
        .onSuccess(ruling -> observer.renewed(request.resource(), ruling, since(start)))
        .map(ruling -> ruling.map(this::json));
  }

  private JsonObject json(Renewal renewal) {
    return new JsonObject()
        .put("resource", renewal.resource().value())
        .put("fencingToken", renewal.token().toString())
        .put("remainingMs", renewal.remainingMillis())
        .put("expiresAt", expiresAt(renewal.remainingMillis()));
  }

  void release(RoutingContext context) {
    withBody(
        context, LockRequestParser::release, LockRequestParser.Release::resource, this::release);
  }

  private Future<Ruling<JsonObject>> release(LockRequestParser.Release request) {
    ClockReading start = clocks.read();
    return locks
        .release(request.resource(), request.leaseId(), deadline(start))
        .onSuccess(
            ruling ->
                observer.released(request.resource(), request.leaseId(), ruling, since(start)))
        .map(ruling -> ruling.map(release -> json(request.resource(), release)));
  }

  private static JsonObject json(ResourceName resource, Release release) {
    JsonObject answer =
        new JsonObject()
            .put("resource", resource.value())
            .put("released", release == Release.RELEASED);
    return release == Release.RELEASED ? answer : answer.put("reason", release.wireName());
  }

  void show(RoutingContext context) {
    Ruling<ResourceName> name = ResourcePaths.resource(context.request(), "/v1/locks/", "");
    Future<Ruling<JsonObject>> answer =
        name.then(resource -> policies.match(resource).map(unused -> resource))
            .fold(this::show, refusal -> refused(refusal));
    answer(context, name.fold(resource -> resource, refusal -> null), answer)
        .onFailure(context::fail);
  }

  private Future<Ruling<JsonObject>> show(ResourceName resource) {
    return locks
        .show(resource, deadline(clocks.read()))
        .map(ruling -> ruling.map(view -> json(resource, view)));
  }

  private static JsonObject json(ResourceName resource, LockView view) {
    JsonObject answer = new JsonObject().put("resource", resource.value());
    return view.fold(
        held ->
            answer
                .put("held", true)
                .put("fencingToken", held.token().toString())
                .put("holder", held.holder().value())
                .put("metadata", new JsonObject(held.metadataJson()))
                .put("remainingMs", held.remainingMillis())
                .put("waiters", held.waiters()),
        free -> answer.put("held", false).put("waiters", free.waiters()));
  }

  private <T> void withBody(
      RoutingContext context,
      Function<Buffer, Ruling<T>> parser,
      Function<T, ResourceName> resource,
      Function<T, Future<Ruling<JsonObject>>> work) {
    JsonBody.read(context.request(), MAX_BODY_BYTES)
        .compose(
            body ->
                body.then(parser)
                    .fold(
                        request -> answer(context, resource.apply(request), work.apply(request)),
                        refusal -> OutcomeHttp.refuse(context.response(), refusal, null)))
        .onFailure(context::fail);
  }

  private static Future<Void> answer(
      RoutingContext context, @Nullable ResourceName resource, Future<Ruling<JsonObject>> work) {
    return work.compose(
        ruling ->
            ruling.fold(
                json -> OutcomeHttp.ok(context.response(), json),
                refusal -> OutcomeHttp.refuse(context.response(), refusal, resource)));
  }

  private static Future<Ruling<JsonObject>> refused(Refusal refusal) {
    return Future.succeededFuture(Ruling.refused(refusal));
  }

  private String expiresAt(long remainingMillis) {
    return Instant.ofEpochMilli(clocks.read().wallMillis() + remainingMillis)
        .truncatedTo(ChronoUnit.MILLIS)
        .toString();
  }

  private static long deadline(ClockReading start) {
    return start.monotonicNanos() + BUDGET.toNanos();
  }

  private long since(ClockReading start) {
    return clocks.read().monotonicNanos() - start.monotonicNanos();
  }
}

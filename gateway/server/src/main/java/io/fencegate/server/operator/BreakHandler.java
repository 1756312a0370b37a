/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.operator;

import io.fencegate.coordination.operator.Broken;
import io.fencegate.policy.model.Enforcement;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.server.http.OperatorRequests;
import io.fencegate.server.http.OutcomeHttp;
import io.fencegate.server.observe.OperatorObserver;
import io.fencegate.server.policy.MatchedPolicy;
import io.fencegate.server.policy.PolicyLibrary;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;

/** {@code POST locks/break}. */
final class BreakHandler {

  /** Two transactions and a raise in the downstream, which waits for writes that are under way. */
  private static final Duration BUDGET = Duration.ofSeconds(10);

  private final BreakService service;
  private final PolicyLibrary policies;
  private final OperatorObserver observer;
  private final Clocks clocks;

  BreakHandler(
      BreakService service, PolicyLibrary policies, OperatorObserver observer, Clocks clocks) {
    this.service = service;
    this.policies = policies;
    this.observer = observer;
    this.clocks = clocks;
  }

  void breakLock(RoutingContext context) {
    OperatorRequests.readBreak(context.request())
        .compose(
            ruling ->
                ruling.fold(
                    request -> answer(context, request),
                    refusal -> OutcomeHttp.refuse(context.response(), refusal, null)))
        .onFailure(context::fail);
  }

  private Future<Void> answer(RoutingContext context, OperatorRequests.Break request) {
    return policies
        .active()
        .matchAgreed(request.resource())
        .then(BreakHandler::withLock)
        .fold(
            matched -> breakLock(request, matched),
            refusal -> Future.succeededFuture(Ruling.<Broken>refused(refusal)))
        .onSuccess(
            ruling ->
                observer.broke(request.resource(), request.reason(), ruling.map(Broken::token)))
        .compose(
            ruling ->
                ruling.fold(
                    broken ->
                        OutcomeHttp.ok(
                            context.response(), json(request, broken).mergeIn(terms(request))),
                    refusal ->
                        OutcomeHttp.refuse(context.response(), refusal, request.resource())));
  }

  private static Ruling<MatchedPolicy> withLock(MatchedPolicy matched) {
    return matched.policy().fencing().isOfLocks()
        ? Ruling.granted(matched)
        : Ruling.refused(
            RefusalCode.UNKNOWN_RESOURCE.because(
                "there is no lock: the resource's tokens come from source "
                    + matched.policy().fencing().source().wireName()));
  }

  private Future<Ruling<Broken>> breakLock(OperatorRequests.Break request, MatchedPolicy matched) {
    long deadlineNanos = clocks.read().monotonicNanos() + BUDGET.toNanos();
    return service.breakLock(request.resource(), matched, request.token(), deadlineNanos);
  }

  /** In shadow nobody is shut out: who is broken writes on. That must not be missed. */
  private JsonObject terms(OperatorRequests.Break request) {
    return policies.active().isInShadow(request.resource())
        ? new JsonObject().put("enforcement", Enforcement.SHADOW.wireName())
        : new JsonObject();
  }

  private static JsonObject json(OperatorRequests.Break request, Broken broken) {
    JsonObject json =
        new JsonObject()
            .put("resource", request.resource().value())
            .put("broken", broken.token().isPresent())
            .put("epoch", broken.epoch().map(FencingToken::toString).orElse(null));
    return broken
        .token()
        .map(token -> json.put("fencingToken", token.toString()))
        .orElseGet(() -> json.put("reason", "not-held"));
  }
}

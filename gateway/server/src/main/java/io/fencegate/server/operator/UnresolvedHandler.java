/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.operator;

import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.fence.Unresolved;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.http.OperatorRequests;
import io.fencegate.server.http.OutcomeHttp;
import io.fencegate.server.observe.OperatorObserver;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** Writes of which nobody knows whether they still land, and the word of who has looked. */
final class UnresolvedHandler {

  private final DrainBarrier barrier;
  private final OperatorObserver observer;
  private final Clocks clocks;

  UnresolvedHandler(DrainBarrier barrier, OperatorObserver observer, Clocks clocks) {
    this.barrier = barrier;
    this.observer = observer;
    this.clocks = clocks;
  }

  void list(RoutingContext context) {
    ClockReading now = clocks.read();
    JsonArray all = new JsonArray();
    barrier.unresolved(now).forEach(it -> all.add(json(it, now)));
    OutcomeHttp.ok(context.response(), new JsonObject().put("unresolved", all));
  }

  void resolve(RoutingContext context) {
    OperatorRequests.readResolve(context.request(), context.pathParam("id"))
        .compose(
            ruling ->
                ruling.fold(
                    request -> resolve(context, request),
                    refusal -> OutcomeHttp.refuse(context.response(), refusal, null)))
        .onFailure(context::fail);
  }

  private Future<Void> resolve(RoutingContext context, OperatorRequests.Resolve request) {
    ClockReading now = clocks.read();
    Ruling<Unresolved> ruling =
        barrier
            .resolve(request.id(), now)
            .map(Ruling::granted)
            .orElseGet(
                () ->
                    Ruling.refused(
                        RefusalCode.NOT_FOUND.because(
                            "nothing with id " + request.id() + " is in doubt on this gateway")));
    observer.resolved(request.as(), request.reason(), ruling);
    return ruling.fold(
        settled -> OutcomeHttp.ok(context.response(), json(settled, now).put("as", request.as())),
        refusal -> OutcomeHttp.refuse(context.response(), refusal, null));
  }

  private static JsonObject json(Unresolved unresolved, ClockReading now) {
    JsonObject json =
        new JsonObject()
            .put("id", Long.toString(unresolved.id()))
            .put("resource", unresolved.resource().value())
            .put("fencingToken", unresolved.token().toString())
            .put("writes", unresolved.writes());
    unresolved
        .settledAtNanos()
        .ifPresent(settled -> json.put("settlesInMs", now.millisUntil(settled)));
    return json;
  }
}

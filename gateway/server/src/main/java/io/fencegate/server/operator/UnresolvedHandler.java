/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.operator;

import io.fencegate.coordination.slot.Custody;
import io.fencegate.policy.fence.Unresolved;
import io.fencegate.policy.outcome.Refusal;
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
import java.time.Instant;
import java.util.Locale;

/**
 * Writes of which nobody knows whether they still land, whichever gateway carried them out, and the
 * word of who has looked.
 */
final class UnresolvedHandler {

  private final Custody custody;
  private final OperatorObserver observer;
  private final Clocks clocks;

  UnresolvedHandler(Custody custody, OperatorObserver observer, Clocks clocks) {
    this.custody = custody;
    this.observer = observer;
    this.clocks = clocks;
  }

  void list(RoutingContext context) {
    custody
        .list()
        .map(
            listed -> {
              ClockReading now = clocks.read();
              JsonArray all = new JsonArray();
              listed.forEach(it -> all.add(json(it, now)));
              return Ruling.granted(new JsonObject().put("unresolved", all));
            })
        .otherwise(failure -> Ruling.refused(unavailable(failure)))
        .compose(
            ruling ->
                ruling.fold(
                    json -> OutcomeHttp.ok(context.response(), json),
                    refusal -> OutcomeHttp.refuse(context.response(), refusal, null)))
        .onFailure(context::fail);
  }

  private static Refusal unavailable(Throwable failure) {
    return RefusalCode.COORDINATOR_UNAVAILABLE.because(String.valueOf(failure.getMessage()));
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
    return custody
        .resolve(request.id())
        .map(found -> found.map(Ruling::granted).orElseGet(() -> unknown(request.id())))
        .otherwise(failure -> Ruling.refused(unavailable(failure).inDoubt()))
        .onSuccess(ruling -> observer.resolved(request.as(), request.reason(), ruling))
        .compose(
            ruling ->
                ruling.fold(
                    settled ->
                        OutcomeHttp.ok(
                            context.response(),
                            json(settled, clocks.read()).put("as", request.as())),
                    refusal -> OutcomeHttp.refuse(context.response(), refusal, null)));
  }

  private static Ruling<Custody.Listed> unknown(String id) {
    return Ruling.refused(RefusalCode.NOT_FOUND.because("nothing with id " + id + " is in doubt"));
  }

  private static JsonObject json(Custody.Listed listed, ClockReading now) {
    JsonObject json =
        new JsonObject()
            .put("id", listed.id())
            .put("resource", listed.resource().value())
            .put("fencingToken", listed.record().token().toString())
            .put("kind", listed.record().kind().name().toLowerCase(Locale.ROOT).replace('_', '-'))
            .put("reason", listed.record().reason())
            .put("since", Instant.ofEpochMilli(listed.record().atMillis()).toString())
            .put("writes", listed.here().map(Unresolved::writes).orElse(1));
    listed
        .here()
        .filter(here -> here.settledAtNanos().isPresent())
        .ifPresent(
            here -> json.put("settlesInMs", now.millisUntil(here.settledAtNanos().getAsLong())));
    return json;
  }
}

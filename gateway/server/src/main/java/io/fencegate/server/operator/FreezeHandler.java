/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.operator;

import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.freeze.FreezeBoard;
import io.fencegate.policy.freeze.Freeze;
import io.fencegate.policy.freeze.FreezeScope;
import io.fencegate.policy.freeze.Freezes;
import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.server.http.OperatorRequests;
import io.fencegate.server.http.OutcomeHttp;
import io.fencegate.server.observe.OperatorObserver;
import io.fencegate.server.policy.PolicyLibrary;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Instant;

/** {@code freezes}: writes that operators stop, and let in again. */
final class FreezeHandler {

  private final FreezeBoard board;
  private final PolicyLibrary policies;
  private final OperatorObserver observer;

  FreezeHandler(FreezeBoard board, PolicyLibrary policies, OperatorObserver observer) {
    this.board = board;
    this.policies = policies;
    this.observer = observer;
  }

  void list(RoutingContext context) {
    board
        .list()
        .compose(ruling -> answer(context, ruling.map(FreezeHandler::json)))
        .onFailure(context::fail);
  }

  void freeze(RoutingContext context) {
    OperatorRequests.readStop(context.request())
        .map(request -> request.then(this::aimed))
        .compose(
            ruling ->
                ruling.fold(
                    request -> freeze(context, request),
                    refusal -> OutcomeHttp.refuse(context.response(), refusal, null)))
        .onFailure(context::fail);
  }

  /** A name that is misspelt would stop nothing, and nobody would be told. */
  private Ruling<OperatorRequests.Stop> aimed(OperatorRequests.Stop request) {
    FreezeScope scope = request.scope();
    if (scope instanceof FreezeScope.OfResource resource) {
      return policies.active().match(resource.name()).map(unused -> request);
    }
    boolean known =
        !(scope instanceof FreezeScope.OfPolicy policy)
            || policies.active().set().policies().stream()
                .anyMatch(it -> it.name().equals(policy.name()));
    return known
        ? Ruling.granted(request)
        : Ruling.refused(
            RefusalCode.INVALID_REQUEST
                .because(
                    "target: "
                        + Parsed.show(scope.target())
                        + " was given, expected a policy that is in force here")
                .atField("target"));
  }

  private Future<Void> freeze(RoutingContext context, OperatorRequests.Stop request) {
    return board
        .freeze(request.scope(), request.reason())
        .onSuccess(ruling -> observer.frozen(request.scope(), request.reason(), ruling))
        .compose(
            ruling ->
                answer(
                    context,
                    ruling.map(
                        freeze ->
                            json(freeze)
                                .put(
                                    "everywhereWithinMs",
                                    GatewaySession.MAX_STALENESS.toMillis()))));
  }

  void lift(RoutingContext context) {
    String id = context.pathParam("id");
    OperatorRequests.readReason(context.request())
        .compose(
            ruling ->
                ruling.fold(
                    reason -> lift(context, id, reason),
                    refusal -> OutcomeHttp.refuse(context.response(), refusal, null)))
        .onFailure(context::fail);
  }

  private Future<Void> lift(RoutingContext context, String id, String reason) {
    return board
        .lift(id)
        .onSuccess(ruling -> observer.lifted(id, reason, ruling))
        .compose(ruling -> answer(context, ruling.map(freeze -> json(freeze).put("lifted", true))));
  }

  private static Future<Void> answer(RoutingContext context, Ruling<JsonObject> ruling) {
    return ruling.fold(
        json -> OutcomeHttp.ok(context.response(), json),
        refusal -> OutcomeHttp.refuse(context.response(), refusal, null));
  }

  private static JsonObject json(Freezes freezes) {
    JsonArray all = new JsonArray();
    freezes.all().forEach(it -> all.add(json(it)));
    return new JsonObject().put("freezes", all).put("more", freezes.more());
  }

  private static JsonObject json(Freeze freeze) {
    FreezeScope scope = freeze.scope();
    return new JsonObject()
        .put("id", freeze.id())
        .put("scope", scope.kind().wireName())
        .put("target", scope.target().isEmpty() ? null : scope.target())
        .put("reason", freeze.reason())
        .put("since", Instant.ofEpochMilli(freeze.atMillis()).toString());
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.operator;

import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.freeze.FreezeBoard;
import io.fencegate.coordination.freeze.FreezeOrders;
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
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** {@code freezes}: writes that operators stop, and let in again. */
final class FreezeHandler {

  /** As long as a live gateway takes to read a freeze, and most writes to end. */
  private static final Duration ACKNOWLEDGED_WITHIN = Duration.ofSeconds(2);

  /** Each costs two reads of the coordinator. */
  private static final int ASKED_ABOUT = 20;

  private static final String NOT_DRAINED = "notDrained";

  private final FreezeBoard board;
  private final FreezeOrders orders;
  private final PolicyLibrary policies;
  private final OperatorObserver observer;

  FreezeHandler(
      FreezeBoard board, FreezeOrders orders, PolicyLibrary policies, OperatorObserver observer) {
    this.board = board;
    this.orders = orders;
    this.policies = policies;
    this.observer = observer;
  }

  void list(RoutingContext context) {
    boolean local = context.queryParam("local").contains("true");
    (local
            ? Future.succeededFuture(Ruling.granted(json(board.here(), false)))
            : orders.list().compose(this::withUndrained))
        .compose(ruling -> answer(context, ruling))
        .onFailure(context::fail);
  }

  /** Those in force, each with the gateways where something is under way yet that it stops. */
  private Future<Ruling<JsonObject>> withUndrained(Ruling<Freezes> listed) {
    return listed.fold(
        freezes -> {
          JsonObject answer = json(freezes.all(), freezes.more());
          List<Future<Void>> asked =
              answer.getJsonArray("freezes").stream()
                  .map(JsonObject.class::cast)
                  .filter(it -> !it.getBoolean("local"))
                  .limit(ASKED_ABOUT)
                  .map(this::putUndrained)
                  .toList();
          return asked.isEmpty()
              ? Future.succeededFuture(Ruling.granted(answer))
              : Future.join(asked)
                  .transform(unused -> Future.succeededFuture(Ruling.granted(answer)));
        },
        refusal -> Future.succeededFuture(Ruling.refused(refusal)));
  }

  private Future<Void> putUndrained(JsonObject freeze) {
    return orders
        .undrained(freeze.getString("id"))
        .onSuccess(left -> freeze.put(NOT_DRAINED, new JsonArray(left)))
        .mapEmpty();
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
    return (request.local()
            ? Future.succeededFuture(orders.freezeHere(request.scope(), request.reason()))
            : orders.freeze(request.scope(), request.reason()))
        .onSuccess(ruling -> observer.frozen(request.scope(), request.reason(), ruling))
        .compose(
            ruling ->
                ruling.fold(
                    freeze -> request.local() ? given(json(freeze)) : acknowledged(freeze),
                    refusal -> Future.succeededFuture(Ruling.<JsonObject>refused(refusal))))
        .compose(ruling -> answer(context, ruling));
  }

  private static Future<Ruling<JsonObject>> given(JsonObject answer) {
    return Future.succeededFuture(Ruling.granted(answer));
  }

  /** Whoever stops writes wants to know whether they have stopped. */
  private Future<Ruling<JsonObject>> acknowledged(Freeze freeze) {
    JsonObject answer =
        json(freeze).put("everywhereWithinMs", GatewaySession.MAX_STALENESS.toMillis());
    return orders
        .undrained(freeze.id(), ACKNOWLEDGED_WITHIN)
        .transform(
            left ->
                given(
                    left.succeeded()
                        ? answer.put(NOT_DRAINED, new JsonArray(left.result()))
                        : answer));
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
    return orders
        .lift(id)
        .onSuccess(ruling -> observer.lifted(id, reason, ruling))
        .compose(ruling -> answer(context, ruling.map(freeze -> json(freeze).put("lifted", true))));
  }

  private static Future<Void> answer(RoutingContext context, Ruling<JsonObject> ruling) {
    return ruling.fold(
        json -> OutcomeHttp.ok(context.response(), json),
        refusal -> OutcomeHttp.refuse(context.response(), refusal, null));
  }

  private static JsonObject json(List<Freeze> freezes, boolean more) {
    JsonArray all = new JsonArray();
    freezes.forEach(it -> all.add(json(it)));
    return new JsonObject().put("freezes", all).put("more", more);
  }

  private static JsonObject json(Freeze freeze) {
    FreezeScope scope = freeze.scope();
    return new JsonObject()
        .put("id", freeze.id())
        .put("scope", scope.kind().wireName())
        .put("target", scope.target().isEmpty() ? null : scope.target())
        .put("reason", freeze.reason())
        .put("local", freeze.isLocal())
        .put("since", Instant.ofEpochMilli(freeze.atMillis()).toString());
  }
}

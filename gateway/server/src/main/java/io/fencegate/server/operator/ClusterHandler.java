/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.operator;

import io.fencegate.coordination.Coordination;
import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.epoch.EpochLedger;
import io.fencegate.coordination.operator.ClusterAdmin;
import io.fencegate.coordination.store.StoreHealth;
import io.fencegate.coordination.witness.CoordinatorHistory;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.http.OperatorRequests;
import io.fencegate.server.http.OutcomeHttp;
import io.fencegate.server.observe.OperatorObserver;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Optional;

/** {@code GET cluster} and {@code POST cluster/generation}. */
final class ClusterHandler {

  /** Enough to tell sessions apart. */
  private static final int SESSION_CHARS = 8;

  private final Coordination coordination;
  private final OperatorObserver observer;
  private final Clocks clocks;

  ClusterHandler(Coordination coordination, OperatorObserver observer, Clocks clocks) {
    this.coordination = coordination;
    this.observer = observer;
    this.clocks = clocks;
  }

  /** Answers also while the coordinator is away: then without the gateways. */
  void show(RoutingContext context) {
    coordination
        .health()
        .look()
        .compose(unused -> coordination.cluster().gateways())
        .onSuccess(
            gateways ->
                OutcomeHttp.ok(
                    context.response(),
                    gateways.fold(
                        list -> json().put("gateways", gateways(list)),
                        refusal -> json().put("gatewaysUnknown", refusal.detail()))))
        .onFailure(context::fail);
  }

  private JsonArray gateways(List<ClusterAdmin.GatewayView> list) {
    JsonArray json = new JsonArray();
    list.forEach(
        gateway ->
            json.add(
                new JsonObject()
                    .put("session", shortened(gateway.session()))
                    .put("address", gateway.address())
                    .put("counter", gateway.counter())
                    .put("self", gateway.session().equals(coordination.session().id()))));
    return json;
  }

  private static String shortened(String session) {
    return session.substring(0, Math.min(SESSION_CHARS, session.length()));
  }

  private JsonObject json() {
    GatewaySession session = coordination.session();
    return new JsonObject()
        .put("generation", session.generation().value())
        .put("session", session(session))
        .put("coordinator", coordinator())
        .put("history", history())
        .put("slots", slots())
        .put("margin", margin());
  }

  private JsonArray slots() {
    JsonArray all = new JsonArray();
    coordination
        .slots()
        .slots()
        .forEach(
            it ->
                all.add(
                    new JsonObject()
                        .put("slot", it.slot())
                        .put("owner", it.drained() ? null : shortened(it.owner()))
                        .put("serving", it.serving())));
    return all;
  }

  private JsonObject session(GatewaySession session) {
    return new JsonObject()
        .put("session", shortened(session.id()))
        .put("fresh", session.isFresh(clocks.read()))
        .put("trouble", session.trouble().orElse(null));
  }

  private JsonObject coordinator() {
    Optional<StoreHealth> health = coordination.health().last();
    return health.map(this::coordinator).orElseGet(JsonObject::new);
  }

  private JsonObject coordinator(StoreHealth health) {
    JsonArray endpoints = new JsonArray();
    health
        .endpoints()
        .forEach(
            endpoint ->
                endpoints.add(
                    new JsonObject()
                        .put("name", endpoint.name())
                        .put("reachable", endpoint.trouble().isEmpty())
                        .put("trouble", endpoint.trouble().orElse(null))
                        .put("leader", endpoint.leader())));
    StoreHealth.Space space = health.space();
    return new JsonObject()
        .put(
            "clusterId",
            health.clusterId().isPresent()
                ? Long.toHexString(health.clusterId().getAsLong())
                : null)
        .put("quorum", health.quorum())
        .put("endpoints", endpoints)
        .put(
            "space",
            new JsonObject()
                .put("level", coordination.health().space().wireName())
                .put("usedBytes", space.usedBytes())
                .put(
                    "limitBytes",
                    space.limitBytes().isPresent() ? space.limitBytes().getAsLong() : null));
  }

  private JsonObject history() {
    CoordinatorHistory history = coordination.history();
    return new JsonObject()
        .put("intact", history.trouble().isEmpty())
        .put("trouble", history.trouble().orElse(null))
        .put("revision", history.floor().revision())
        .put("generation", history.floor().generation().value())
        .put("witnessTrouble", history.writeTrouble().orElse(null));
  }

  private static JsonObject margin() {
    return new JsonObject()
        .put("leastMs", EpochLedger.MIN_MARGIN.toMillis())
        .put("partOfTtl", EpochLedger.MARGIN_PART_OF_TTL);
  }

  void raise(RoutingContext context) {
    OperatorRequests.readRaise(context.request())
        .compose(
            ruling ->
                ruling.fold(
                    request -> raise(context, request),
                    refusal -> OutcomeHttp.refuse(context.response(), refusal, null)))
        .onFailure(context::fail);
  }

  private Future<Void> raise(RoutingContext context, OperatorRequests.Raise request) {
    return coordination
        .cluster()
        .raiseGeneration()
        .onSuccess(ruling -> observer.generationRaised(request.reason(), ruling))
        .compose(
            ruling ->
                ruling.fold(
                    raised ->
                        OutcomeHttp.ok(
                            context.response(),
                            new JsonObject()
                                .put("raised", true)
                                .put("before", raised.before().value())
                                .put("generation", raised.now().value())),
                    refusal -> OutcomeHttp.refuse(context.response(), refusal, null)));
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.operator;

import io.fencegate.coordination.Coordination;
import io.fencegate.coordination.epoch.EpochLedger;
import io.fencegate.coordination.lock.LockService;
import io.fencegate.coordination.lock.LockView;
import io.fencegate.coordination.slot.Whereabouts;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.server.http.OutcomeHttp;
import io.fencegate.server.http.ResourcePaths;
import io.fencegate.server.http.WorkerApi;
import io.fencegate.server.observe.HotResources;
import io.fencegate.server.observe.OperatorObserver;
import io.fencegate.server.policy.MatchedPolicy;
import io.fencegate.server.policy.PolicyLibrary;
import io.fencegate.server.relay.OwnerCalls;
import io.fencegate.server.relay.OwnerErrand;
import io.fencegate.server.write.Turns;
import io.fencegate.server.write.WriteService;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** All that the operator port serves. */
public final class OperatorApi {

  private static final String RESOURCES = "/admin/v1/resources/";
  private static final int DEFAULT_HOT = 20;
  private static final Duration BUDGET = Duration.ofSeconds(5);

  private final Parts parts;

  private OperatorApi(Parts parts) {
    this.parts = parts;
  }

  /** What the endpoints stand on. */
  public record Parts(
      Vertx vertx,
      PolicyLibrary policies,
      Coordination coordination,
      LockService locks,
      WriteService writes,
      EpochLedger epochs,
      DrainBarrier barrier,
      OperatorObserver observer,
      PrometheusMeterRegistry registry,
      Readiness readiness,
      HotResources hot,
      Clocks clocks,
      OwnerCalls owners) {}

  public static Router router(Parts parts) {
    OperatorApi api = new OperatorApi(parts);
    Router router = Router.router(parts.vertx());
    router.get("/livez").handler(context -> context.response().end("alive\n"));
    router.get("/readyz").handler(api::readyz);
    router.get("/metrics").handler(api::metrics);
    PolicyHandler policies =
        new PolicyHandler(parts.policies(), parts.coordination(), parts.observer());
    router.get("/admin/v1/policies").handler(policies::list);
    router.post("/admin/v1/policies/reload").handler(policies::reload);
    router.post("/admin/v1/policies/:name/switch").handler(policies::begin);
    router.get("/admin/v1/policies/:name/switch").handler(policies::progress);
    BreakHandler breaks =
        new BreakHandler(breakService(parts), parts.policies(), parts.observer(), parts.clocks());
    router.post("/admin/v1/locks/break").handler(breaks::breakLock);
    ResetHandler resets =
        new ResetHandler(
            parts.coordination().epochReset(),
            parts.writes(),
            parts.policies(),
            parts.observer(),
            parts.clocks(),
            parts.owners());
    router.post(ResetHandler.EPOCHS + "*").handler(resets::reset);
    ClusterHandler cluster =
        new ClusterHandler(parts.coordination(), parts.observer(), parts.clocks());
    router.get("/admin/v1/cluster").handler(cluster::show);
    router.post("/admin/v1/cluster/generation").handler(cluster::raise);
    UnresolvedHandler unresolved =
        new UnresolvedHandler(parts.coordination().custody(), parts.observer(), parts.clocks());
    router.get("/admin/v1/unresolved").handler(unresolved::list);
    router.post("/admin/v1/unresolved/:id/resolve").handler(unresolved::resolve);
    FreezeHandler freezes =
        new FreezeHandler(
            parts.coordination().freezes(),
            parts.coordination().freezeOrders(),
            parts.policies(),
            parts.observer());
    router.get("/admin/v1/freezes").handler(freezes::list);
    router.post("/admin/v1/freezes").handler(freezes::freeze);
    router.delete("/admin/v1/freezes/:id").handler(freezes::lift);
    router.get("/admin/v1/hot-resources").handler(api::hotResources);
    ResourceListHandler resources =
        new ResourceListHandler(parts.coordination().directory(), parts.policies());
    router.get(RESOURCES.substring(0, RESOURCES.length() - 1)).handler(resources::list);
    router.get(RESOURCES + "*").handler(api::resource);
    WorkerApi.answerErrors(router);
    return router;
  }

  private static BreakService breakService(Parts parts) {
    return new BreakService(
        parts.coordination().breaker(),
        parts.epochs(),
        parts.barrier(),
        parts.owners(),
        parts.coordination().custody(),
        parts.clocks(),
        new Turns(parts.vertx(), parts.barrier(), parts.clocks()));
  }

  /** What operators ask of one gateway and only another one can do, on that one's worker port. */
  public static void takeErrands(Router worker, Parts parts) {
    ErrandHandler errands =
        new ErrandHandler(
            parts.owners(), breakService(parts), parts.writes(), parts.policies(), parts.clocks());
    worker.post(OwnerErrand.SHUT_OUT.path() + "*").handler(errands::shutOut);
    worker.post(OwnerErrand.FORGET.path() + "*").handler(errands::forget);
  }

  private void readyz(RoutingContext context) {
    parts
        .readiness()
        .check()
        .onSuccess(
            report -> OutcomeHttp.readiness(context.response(), report.isReady(), report.json()))
        .onFailure(context::fail);
  }

  private void metrics(RoutingContext context) {
    String accepted =
        Optional.ofNullable(context.request().getHeader(HttpHeaders.ACCEPT)).orElse("");
    boolean openMetrics = accepted.contains("application/openmetrics-text");
    String type =
        openMetrics
            ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
            : "text/plain; version=0.0.4; charset=utf-8";
    context.response().putHeader(HttpHeaders.CONTENT_TYPE, type).end(parts.registry().scrape(type));
  }

  private void hotResources(RoutingContext context) {
    hotLimit(context)
        .fold(
            limit -> OutcomeHttp.ok(context.response(), hottest(limit)),
            refusal -> OutcomeHttp.refuse(context.response(), refusal, null));
  }

  private static Ruling<Integer> hotLimit(RoutingContext context) {
    String given = context.request().getParam("limit", Integer.toString(DEFAULT_HOT));
    if (given.matches("[1-9][0-9]{0,2}")) {
      return Ruling.granted(Integer.parseInt(given));
    }
    return Ruling.refused(
        RefusalCode.INVALID_REQUEST
            .because("limit: '" + given + "' was given, expected 1 to 999")
            .atField("limit"));
  }

  private JsonObject hottest(int limit) {
    JsonArray list = new JsonArray();
    for (HotResources.Heat heat : parts.hot().top(limit)) {
      list.add(
          new JsonObject()
              .put("resource", heat.resource().value())
              .put("calls", heat.calls())
              .put("atMostTooHigh", heat.atMostTooHigh()));
    }
    return new JsonObject().put("resources", list);
  }

  private void resource(RoutingContext context) {
    Ruling<ResourceName> name = ResourcePaths.resource(context.request(), RESOURCES, "");
    name.then(found -> parts.policies().active().match(found))
        .fold(policy -> show(name, policy), OperatorApi::refused)
        .onSuccess(
            ruling ->
                ruling.fold(
                    json -> OutcomeHttp.ok(context.response(), json),
                    refusal -> OutcomeHttp.refuse(context.response(), refusal, null)))
        .onFailure(context::fail);
  }

  private Future<Ruling<JsonObject>> show(Ruling<ResourceName> name, MatchedPolicy policy) {
    return name.fold(found -> show(found, policy), OperatorApi::refused);
  }

  private static Future<Ruling<JsonObject>> refused(Refusal refusal) {
    return Future.succeededFuture(Ruling.refused(refusal));
  }

  private Future<Ruling<JsonObject>> show(ResourceName resource, MatchedPolicy matched) {
    long deadlineNanos = parts.clocks().read().monotonicNanos() + BUDGET.toNanos();
    return parts
        .epochs()
        .epoch(resource, deadlineNanos)
        .compose(
            epoch ->
                parts
                    .locks()
                    .show(resource, deadlineNanos)
                    .map(lock -> epoch.then(e -> lock.map(l -> json(resource, matched, e, l)))));
  }

  /** The gateway that carries out writes which the downstream cannot judge; null for none. */
  private @Nullable String owner(ResourceName resource) {
    return parts
        .coordination()
        .slots()
        .whereabouts(resource, parts.clocks().read())
        .fold(() -> "self", Whereabouts.Elsewhere::address, nowhere -> null);
  }

  private JsonObject json(
      ResourceName resource, MatchedPolicy matched, Optional<FencingToken> epoch, LockView lock) {
    JsonObject json =
        new JsonObject()
            .put("resource", resource.value())
            .put("policy", matched.policy().name().value())
            .put("enforcement", matched.policy().fencing().enforcement().wireName())
            .put("tokenSource", matched.policy().fencing().source().wireName())
            .put("demanded", matched.policy().guarantee().wireName());
    PolicyHandler.putPromise(json, matched.kept())
        .put("epoch", epoch.map(FencingToken::toString).orElse(null))
        .put("inFlight", parts.barrier().inFlight(resource))
        .put("owner", owner(resource))
        .put("unresolved", parts.barrier().unresolved(resource, parts.clocks().read()))
        .put("waiters", lock.waiters());
    return lock.fold(
        held ->
            json.put("held", true)
                .put("holder", held.holder().value())
                .put("fencingToken", held.token().toString())
                .put("remainingMs", held.remainingMillis()),
        free -> json.put("held", false));
  }
}

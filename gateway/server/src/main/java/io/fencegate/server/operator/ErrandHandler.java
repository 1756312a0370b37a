/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.operator;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.http.OutcomeHttp;
import io.fencegate.server.http.ResourcePaths;
import io.fencegate.server.policy.PolicyLibrary;
import io.fencegate.server.relay.OwnerCalls;
import io.fencegate.server.relay.OwnerErrand;
import io.fencegate.server.write.WriteService;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Optional;

/** What other gateways ask of this one for resources that it carries the writes out of. */
final class ErrandHandler {

  /** As long as an operator's call may take. */
  private static final Duration BUDGET = Duration.ofSeconds(10);

  private static final String DEADLINE = "Fencing-Deadline-Ms";
  private static final long NANOS_PER_MILLI = 1_000_000L;

  private final OwnerCalls calls;
  private final BreakService breaks;
  private final WriteService writes;
  private final PolicyLibrary policies;
  private final Clocks clocks;

  ErrandHandler(
      OwnerCalls calls,
      BreakService breaks,
      WriteService writes,
      PolicyLibrary policies,
      Clocks clocks) {
    this.calls = calls;
    this.breaks = breaks;
    this.writes = writes;
    this.policies = policies;
    this.clocks = clocks;
  }

  void shutOut(RoutingContext context) {
    long deadlineNanos = deadline(context.request());
    answer(
        context,
        OwnerErrand.SHUT_OUT,
        resource ->
            policies
                .active()
                .matchAgreed(resource)
                .fold(
                    matched -> breaks.shutOut(resource, matched, deadlineNanos),
                    refusal -> Future.succeededFuture(Optional.of(refusal))));
  }

  void forget(RoutingContext context) {
    answer(
        context,
        OwnerErrand.FORGET,
        resource ->
            Future.succeededFuture(
                writes.forget(resource)
                    ? Optional.empty()
                    : Optional.of(
                        RefusalCode.DOWNSTREAM_BUSY.because(
                            "a write to the resource is under way on its gateway"))));
  }

  private interface Work {
    Future<Optional<Refusal>> on(ResourceName resource);
  }

  private void answer(RoutingContext context, OwnerErrand errand, Work work) {
    HttpServerRequest request = context.request();
    Ruling<ResourceName> name = ResourcePaths.resource(request, errand.path(), "");
    calls
        .objection(request.method().name(), request.uri(), request.headers())
        .compose(
            objection ->
                objection.isPresent()
                    ? Future.succeededFuture(objection)
                    : name.fold(work::on, bad -> Future.succeededFuture(Optional.of(bad))))
        .compose(
            refusal ->
                refusal.isPresent()
                    ? OutcomeHttp.refuse(context.response(), refusal.get(), null)
                    : OutcomeHttp.ok(context.response(), new JsonObject().put("done", true)))
        .onFailure(context::fail);
  }

  private long deadline(HttpServerRequest request) {
    String given = request.headers().contains(DEADLINE) ? request.getHeader(DEADLINE) : "";
    long most = BUDGET.toMillis();
    long millis = given.matches("[0-9]{1,6}") ? Math.min(most, Long.parseLong(given)) : most;
    return clocks.read().monotonicNanos() + millis * NANOS_PER_MILLI;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.operator;

import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.operator.EpochReset;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.http.OperatorRequests;
import io.fencegate.server.http.OutcomeHttp;
import io.fencegate.server.http.ResourcePaths;
import io.fencegate.server.observe.OperatorObserver;
import io.fencegate.server.policy.MatchedPolicy;
import io.fencegate.server.policy.PolicyLibrary;
import io.fencegate.server.relay.OwnerCalls;
import io.fencegate.server.relay.OwnerErrand;
import io.fencegate.server.write.WriteService;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Optional;

/**
 * {@code POST epochs/{resource}/reset}: first the coordinator's record, then what this gateway
 * knows and the owner of the resource, then the downstream's epoch. Harmless to repeat: what an
 * earlier call left undone is done; until then the downstream's epoch, being higher, refuses.
 */
final class ResetHandler {

  static final String EPOCHS = "/admin/v1/epochs/";
  static final String RESET = "/reset";

  private static final Duration BUDGET = Duration.ofSeconds(10);

  private final EpochReset resets;
  private final WriteService writes;
  private final PolicyLibrary policies;
  private final OperatorObserver observer;
  private final Clocks clocks;
  private final OwnerCalls owners;

  ResetHandler(
      EpochReset resets,
      WriteService writes,
      PolicyLibrary policies,
      OperatorObserver observer,
      Clocks clocks,
      OwnerCalls owners) {
    this.resets = resets;
    this.writes = writes;
    this.policies = policies;
    this.observer = observer;
    this.clocks = clocks;
    this.owners = owners;
  }

  private record Asked(ResourceName resource, MatchedPolicy matched, String reason) {}

  void reset(RoutingContext context) {
    Ruling<ResourceName> name = ResourcePaths.resource(context.request(), EPOCHS, RESET);
    OperatorRequests.readReason(context.request())
        .map(reason -> name.then(resource -> reason.then(text -> asked(resource, text))))
        .compose(
            ruling ->
                ruling.fold(
                    asked -> answer(context, asked),
                    refusal -> OutcomeHttp.refuse(context.response(), refusal, null)))
        .onFailure(context::fail);
  }

  private Ruling<Asked> asked(ResourceName resource, String reason) {
    return policies
        .active()
        .matchAgreed(resource)
        .map(matched -> new Asked(resource, matched, reason));
  }

  private Future<Void> answer(RoutingContext context, Asked asked) {
    return reset(asked)
        .onSuccess(ruling -> observer.epochReset(asked.resource(), asked.reason(), ruling))
        .compose(
            ruling ->
                ruling.fold(
                    forgotten -> OutcomeHttp.ok(context.response(), json(asked, forgotten)),
                    refusal -> OutcomeHttp.refuse(context.response(), refusal, asked.resource())));
  }

  /** Tokens of locks rise by themselves; only what another source raised may be forgotten there. */
  private Future<Ruling<Optional<EpochRecord>>> reset(Asked asked) {
    boolean ofLocks = asked.matched().policy().fencing().isOfLocks();
    long deadlineNanos = clocks.read().monotonicNanos() + BUDGET.toNanos();
    return resets
        .reset(asked.resource(), record -> !ofLocks || !record.isOfLocks(), deadlineNanos)
        .compose(
            ruling ->
                ruling.fold(
                    forgotten -> forget(asked, forgotten, deadlineNanos),
                    refusal -> Future.succeededFuture(Ruling.refused(refusal))));
  }

  private Future<Ruling<Optional<EpochRecord>>> forget(
      Asked asked, Optional<EpochRecord> forgotten, long deadlineNanos) {
    if (!writes.forget(asked.resource())) {
      return Future.succeededFuture(
          Ruling.refused(halfDone("a write to the resource is under way on this gateway")));
    }
    return forgottenByOwner(asked, deadlineNanos)
        .compose(
            refusal ->
                refusal.isPresent()
                    ? Future.succeededFuture(Ruling.refused(halfDone(refusal.get().detail())))
                    : forgetDownstream(asked, forgotten, deadlineNanos));
  }

  /** The gateway that carries the resource's writes out goes by what it knows of the epoch. */
  private Future<Optional<Refusal>> forgottenByOwner(Asked asked, long deadlineNanos) {
    if (!asked.matched().adapter().offer().needsOwner()) {
      return Future.succeededFuture(Optional.empty());
    }
    return owners
        .locate(asked.resource(), deadlineNanos)
        .compose(
            where ->
                where.fold(
                    () -> Future.succeededFuture(Optional.<Refusal>empty()),
                    there -> owners.ask(OwnerErrand.FORGET, asked.resource(), there, deadlineNanos),
                    // Who owns it next knows nothing of it yet.
                    nowhere -> Future.succeededFuture(Optional.<Refusal>empty())));
  }

  private Future<Ruling<Optional<EpochRecord>>> forgetDownstream(
      Asked asked, Optional<EpochRecord> forgotten, long deadlineNanos) {
    return asked
        .matched()
        .adapter()
        .resetEpoch(asked.resource(), deadlineNanos)
        .otherwise(defect -> Optional.of(halfDone("the adapter met a defect: " + defect)))
        .map(
            refusal ->
                refusal
                    .map(no -> Ruling.<Optional<EpochRecord>>refused(halfDone(no.detail())))
                    .orElseGet(() -> Ruling.granted(forgotten)));
  }

  private static Refusal halfDone(String why) {
    return RefusalCode.DOWNSTREAM_BUSY
        .because(
            "the coordinator has forgotten the epoch, the downstream may not have: "
                + why
                + "; repeat this call")
        .inDoubt();
  }

  private static JsonObject json(Asked asked, Optional<EpochRecord> forgotten) {
    return new JsonObject()
        .put("resource", asked.resource().value())
        .put("reset", true)
        .put("before", forgotten.map(it -> it.raised().toString()).orElse(null))
        .put("beforeSource", forgotten.map(EpochRecord::source).orElse(null))
        .put("source", asked.matched().policy().fencing().source().wireName());
  }
}

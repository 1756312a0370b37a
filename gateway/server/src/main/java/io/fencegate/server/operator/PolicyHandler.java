/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.operator;

import io.fencegate.adapter.spi.Offer;
import io.fencegate.coordination.Coordination;
import io.fencegate.coordination.agreement.PolicyRegister;
import io.fencegate.coordination.operator.PolicySwitch;
import io.fencegate.policy.agreement.Agreement.Standing;
import io.fencegate.policy.agreement.PolicyTerms;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.server.http.OperatorRequests;
import io.fencegate.server.http.OutcomeHttp;
import io.fencegate.server.observe.OperatorObserver;
import io.fencegate.server.policy.KeptGuarantee;
import io.fencegate.server.policy.PolicyLibrary;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** {@code policies}: what is in force here, and what puts other forms in force. */
final class PolicyHandler {

  private final PolicyLibrary policies;
  private final PolicyRegister register;
  private final PolicySwitch switching;
  private final OperatorObserver observer;

  PolicyHandler(PolicyLibrary policies, Coordination coordination, OperatorObserver observer) {
    this.policies = policies;
    this.register = coordination.policies();
    this.switching = coordination.policySwitch();
    this.observer = observer;
  }

  void list(RoutingContext context) {
    JsonArray list = new JsonArray();
    policies.active().set().policies().forEach(policy -> list.add(json(policy)));
    OutcomeHttp.ok(context.response(), new JsonObject().put("policies", list));
  }

  private JsonObject json(ResourcePolicy policy) {
    var adapter = policies.active().adapters().get(policy.adapter());
    JsonObject json =
        new JsonObject()
            .put("name", policy.name().value())
            .put("match", policy.match().toString())
            .put("adapter", policy.adapter().value())
            .put("enforcement", policy.fencing().enforcement().wireName())
            .put("tokenSource", policy.fencing().source().wireName())
            .put("demanded", policy.guarantee().wireName());
    if (adapter != null) {
      putPromise(json, KeptGuarantee.of(policy, adapter.offer()));
    }
    PolicyTerms terms = policies.active().terms().get(policy.name());
    Standing standing = register.standings().getOrDefault(policy.name(), Standing.UNRECORDED);
    json.put("agreed", standing.name().toLowerCase(Locale.ROOT));
    if (terms != null && standing != Standing.AGREED) {
      json.put("objection", register.explanation(terms));
    }
    return json;
  }

  /** What is promised, and why. */
  static JsonObject putPromise(JsonObject json, Offer kept) {
    return json.put("guarantee", kept.guarantee().wireName()).put("reason", kept.reason());
  }

  void reload(RoutingContext context) {
    policies
        .reload()
        .onSuccess(
            refusals -> {
              if (refusals.isEmpty()) {
                OutcomeHttp.ok(context.response(), reloaded());
              } else {
                Refusal refusal =
                    RefusalCode.INVALID_REQUEST.because(
                        "the last good policies stay in force: " + String.join("; ", refusals));
                OutcomeHttp.refuse(context.response(), refusal, null);
              }
            })
        .onFailure(context::fail);
  }

  /** Policies in another form than the one in force need a switch, or all of their writes wait. */
  private JsonObject reloaded() {
    JsonArray different = new JsonArray();
    register.standings().entrySet().stream()
        .filter(it -> it.getValue() == Standing.DIFFERENT)
        .map(Map.Entry::getKey)
        .map(PolicyName::value)
        .sorted()
        .forEach(different::add);
    return new JsonObject().put("reloaded", true).put("different", different);
  }

  // ---- switch

  void begin(RoutingContext context) {
    Ruling<PolicyName> name = name(context);
    OperatorRequests.readSwitch(context.request())
        .compose(
            request ->
                name.then(policy -> request.map(it -> Map.entry(policy, it)))
                    .fold(
                        asked -> begin(asked.getKey(), asked.getValue()),
                        refusal ->
                            Future.succeededFuture(Ruling.<PolicySwitch.Progress>refused(refusal))))
        .compose(ruling -> answer(context, ruling))
        .onFailure(context::fail);
  }

  /** The files as they are now: what was brought to this gateway is what is meant. */
  private Future<Ruling<PolicySwitch.Progress>> begin(
      PolicyName policy, OperatorRequests.SwitchOver request) {
    return policies
        .reload()
        .map(refusals -> meant(policy, request, refusals))
        .compose(
            meant ->
                meant.fold(
                    terms -> switching.begin(policy, terms, request.reason()),
                    refusal -> Future.succeededFuture(Ruling.refused(refusal))))
        .onSuccess(ruling -> observer.switched(policy, request.reason(), ruling));
  }

  private Ruling<Optional<PolicyTerms>> meant(
      PolicyName policy, OperatorRequests.SwitchOver request, List<String> refusals) {
    Optional<PolicyTerms> mine = Optional.ofNullable(policies.active().terms().get(policy));
    if (!refusals.isEmpty()) {
      return Ruling.refused(
          RefusalCode.INVALID_REQUEST.because(
              "the files on disk are not in force here: " + String.join("; ", refusals)));
    }
    if (mine.isPresent() == request.withdraw()) {
      return Ruling.refused(
          RefusalCode.INVALID_REQUEST
              .because(
                  mine.isPresent()
                      ? "withdraw: true was given, expected a policy that no file here has"
                      : "this gateway has no policy "
                          + policy
                          + "; withdraw: true puts it out of force on all gateways")
              .atField("withdraw"));
    }
    return Ruling.granted(mine);
  }

  void progress(RoutingContext context) {
    answer(
            context,
            name(context)
                .then(
                    policy ->
                        switching
                            .progress(policy)
                            .map(Ruling::granted)
                            .orElseGet(() -> Ruling.refused(none(policy)))))
        .onFailure(context::fail);
  }

  private static Refusal none(PolicyName policy) {
    return RefusalCode.NOT_FOUND.because(
        "policy " + policy + " was not switched through this gateway since it started");
  }

  private static Ruling<PolicyName> name(RoutingContext context) {
    return PolicyName.parse(context.pathParam("name"))
        .fold(
            Ruling::granted,
            bad -> Ruling.refused(Refusal.malformed(RefusalCode.INVALID_REQUEST, "name", bad)));
  }

  private static Future<Void> answer(RoutingContext context, Ruling<PolicySwitch.Progress> ruling) {
    return ruling.fold(
        progress -> OutcomeHttp.ok(context.response(), json(progress)),
        refusal -> OutcomeHttp.refuse(context.response(), refusal, null));
  }

  private static JsonObject json(PolicySwitch.Progress progress) {
    JsonObject json =
        new JsonObject()
            .put("policy", progress.policy().value())
            .put("state", progress.state().name().toLowerCase(Locale.ROOT));
    if (progress.state() == PolicySwitch.State.DRAINING) {
      json.put("freezes", new JsonArray(progress.freezes()))
          .put("waitingFor", new JsonArray(progress.waitingFor()))
          .put("remainingMs", progress.remainingMillis());
    }
    return progress.reason().isEmpty() ? json : json.put("reason", progress.reason());
  }
}

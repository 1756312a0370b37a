/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.operator;

import io.fencegate.coordination.Coordination;
import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.freeze.FreezeBoard;
import io.fencegate.coordination.health.CoordinatorHealth;
import io.fencegate.coordination.health.SpaceLevel;
import io.fencegate.coordination.store.StoreHealth;
import io.fencegate.coordination.witness.CoordinatorHistory;
import io.fencegate.policy.agreement.Agreement.Standing;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.http.RequestGate;
import io.fencegate.server.policy.PolicyLibrary;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Whether this gateway should get requests, with the reason per check. Only what concerns this
 * process makes it unready: without the coordinator or a downstream it goes on and answers with the
 * reason, as every other gateway would.
 */
public final class Readiness {

  private final Coordination coordination;
  private final GatewaySession session;
  private final PolicyLibrary policies;
  private final RequestGate gate;
  private final Clocks clocks;

  public Readiness(
      Coordination coordination, PolicyLibrary policies, RequestGate gate, Clocks clocks) {
    this.coordination = coordination;
    this.session = coordination.session();
    this.policies = policies;
    this.gate = gate;
    this.clocks = clocks;
  }

  private record Check(String name, boolean decides, boolean ok, String reason) {
    JsonObject json() {
      return new JsonObject()
          .put("name", name)
          .put("ok", ok)
          .put("decides", decides)
          .put("reason", reason);
    }
  }

  /** All checks of one moment. */
  record Report(List<Check> checks) {
    boolean isReady() {
      return checks.stream().allMatch(check -> check.ok() || !check.decides());
    }

    JsonObject json() {
      JsonArray all = new JsonArray();
      checks.forEach(check -> all.add(check.json()));
      return new JsonObject().put("ready", isReady()).put("checks", all);
    }
  }

  Future<Report> check() {
    boolean fresh = session.isFresh(clocks.read());
    boolean everProven = session.wasEverProven();
    List<Check> checks = new ArrayList<>();
    checks.add(
        new Check("serving", true, !gate.isDraining(), gate.isDraining() ? "draining" : "yes"));
    checks.add(
        new Check(
            "session", true, everProven, everProven ? "opened" : "no session was opened yet"));
    checks.add(
        new Check(
            "coordinator",
            false,
            fresh,
            fresh ? "answers" : session.trouble().orElse("no heartbeat was confirmed lately")));
    checks.add(freezes());
    checks.addAll(coordinatorChecks());
    checks.add(epochs());
    checks.add(
        new Check(
            "policies",
            false,
            policies.lastReloadSuccessful() && different().isEmpty(),
            policies.active().set().policies().size()
                + " in the files"
                + (different().isEmpty()
                    ? ""
                    : "; not as other gateways have it: " + different())));
    List<Future<Check>> adapters = new ArrayList<>();
    policies
        .active()
        .adapters()
        .forEach(
            (name, adapter) ->
                adapters.add(
                    adapter.unreachable().map(reason -> adapterCheck("adapter " + name, reason))));
    return Future.join(adapters)
        .map(
            unused -> {
              adapters.forEach(adapter -> checks.add(adapter.result()));
              return new Report(checks);
            });
  }

  /** Policies whose writes this gateway refuses. */
  private List<String> different() {
    return coordination.policies().standings().entrySet().stream()
        .filter(it -> it.getValue() == Standing.DIFFERENT)
        .map(it -> it.getKey().value())
        .sorted()
        .toList();
  }

  /** Before they were read, every write may be one that an operator has stopped. */
  private Check freezes() {
    FreezeBoard board = coordination.freezes();
    return new Check(
        "freezes",
        true,
        board.wasEverRead(),
        board.wasEverRead() ? board.last().all().size() + " in force" : board.trouble());
  }

  /** As it was when an epoch was last to be raised. */
  private Check epochs() {
    Optional<String> trouble = coordination.epochKeeping().trouble();
    boolean hasLedger = coordination.epochKeeping().hasLedger();
    return new Check(
        "epochs",
        false,
        trouble.isEmpty(),
        trouble.orElse(hasLedger ? "also kept in the ledger" : "kept by the coordinator"));
  }

  /** What is wrong with the coordinator concerns every gateway alike, so none of it decides. */
  private List<Check> coordinatorChecks() {
    CoordinatorHistory history = coordination.history();
    CoordinatorHealth health = coordination.health();
    List<StoreHealth.Endpoint> endpoints =
        health.last().map(StoreHealth::endpoints).orElse(List.of());
    List<String> silent =
        endpoints.stream()
            .filter(endpoint -> endpoint.trouble().isPresent())
            .map(endpoint -> endpoint.name() + ": " + endpoint.trouble().orElseThrow())
            .toList();
    return List.of(
        new Check(
            "coordinator history",
            false,
            history.trouble().isEmpty(),
            history.trouble().orElse("as it was left")),
        new Check(
            "coordinator witness",
            false,
            history.writeTrouble().isEmpty(),
            history.writeTrouble().orElse("kept")),
        new Check(
            "coordinator space", false, health.space() == SpaceLevel.ENOUGH, health.spaceShown()),
        new Check(
            "coordinator endpoints",
            false,
            silent.isEmpty(),
            silent.isEmpty() ? endpoints.size() + " answer" : String.join("; ", silent)));
  }

  private static Check adapterCheck(String name, Optional<String> unreachable) {
    return new Check(name, false, unreachable.isEmpty(), unreachable.orElse("reachable"));
  }
}

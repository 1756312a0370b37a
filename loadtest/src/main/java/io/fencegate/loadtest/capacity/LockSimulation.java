/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import static io.gatling.javaapi.core.CoreDsl.StringBody;
import static io.gatling.javaapi.core.CoreDsl.bodyString;
import static io.gatling.javaapi.core.CoreDsl.constantUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.details;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.global;
import static io.gatling.javaapi.core.CoreDsl.nothingFor;
import static io.gatling.javaapi.core.CoreDsl.rampUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.responseTimeInMillis;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.gatling.javaapi.core.Assertion;
import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.OpenInjectionStep;
import io.gatling.javaapi.core.ScenarioBuilder;
import io.gatling.javaapi.core.Session;
import io.gatling.javaapi.core.Simulation;
import io.gatling.javaapi.http.HttpProtocolBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Locks that are held all the time and renewed in turn, and locks that are taken, held for a moment
 * and released: an open model, in which calls come at their rate however long the earlier ones
 * take. All virtual users share kept-alive connections, as workers behind one SDK do.
 *
 * <p>Its plan comes from the JVM's properties (see {@link LoadPlan}). With {@code
 * fencegate.load.strict=true} the build's own goals are asserted; what came of all calls goes to
 * the file {@code fencegate.load.out}.
 */
public final class LockSimulation extends Simulation {

  /** What an uncontended acquire may take. */
  static final int GOAL_P99_MILLIS = 200;

  private final LoadPlan plan = LoadPlan.of(System.getProperties());
  private final LoadState state = new LoadState(plan);

  public LockSimulation() {
    HttpProtocolBuilder gateway =
        http.baseUrl(plan.url())
            .shareConnections()
            .disableWarmUp()
            .disableCaching()
            .contentTypeHeader("application/json");
    setUp(
            filling()
                .injectOpen(
                    constantUsersPerSec(plan.held() / (double) plan.times().fill())
                        .during(Duration.ofSeconds(plan.times().fill()))),
            // While there are few locks, few renewals keep up with them.
            renewing()
                .injectOpen(
                    rampUsersPerSec(0)
                        .to(plan.rates().renewals())
                        .during(Duration.ofSeconds(plan.times().fill())),
                    constantUsersPerSec(plan.rates().renewals())
                        .during(Duration.ofSeconds(plan.loadSeconds()))),
            cycling().injectOpen(cycles()))
        .protocols(gateway)
        .assertions(assertions());
  }

  /** New JVMs are slow: under the whole rate at once the queues would fill first. */
  private List<OpenInjectionStep> cycles() {
    List<OpenInjectionStep> steps = new ArrayList<>();
    steps.add(nothingFor(Duration.ofSeconds(plan.times().fill())));
    if (plan.rampSeconds() > 0) {
      steps.add(
          rampUsersPerSec(1)
              .to(plan.rates().cycles())
              .during(Duration.ofSeconds(plan.rampSeconds())));
    }
    steps.add(
        constantUsersPerSec(plan.rates().cycles())
            .during(Duration.ofSeconds(plan.loadSeconds() - plan.rampSeconds())));
    return steps;
  }

  private static List<Assertion> assertions() {
    List<Assertion> assertions = new ArrayList<>();
    if (Boolean.getBoolean("fencegate.load.strict")) {
      assertions.add(global().failedRequests().count().is(0L));
      for (Phase phase : List.of(Phase.STEADY, Phase.AFTER)) {
        assertions.add(
            details(phase.wireName() + " acquire")
                .responseTime()
                .percentile4()
                .lte(GOAL_P99_MILLIS));
      }
    }
    return assertions;
  }

  private ScenarioBuilder filling() {
    return scenario("fill")
        .exec(
            session -> {
              state.started();
              return state.fill(session);
            })
        .exec(call(LockOp.ACQUIRE, state::acquired));
  }

  private ScenarioBuilder renewing() {
    return scenario("renew")
        .exec(state::renew)
        .exitHereIf(session -> !session.contains("payload"))
        .exec(call(LockOp.RENEW, state::renewed));
  }

  private ScenarioBuilder cycling() {
    return scenario("cycle")
        .exec(state::cycle)
        .exec(call(LockOp.ACQUIRE, state::acquired))
        .exitHereIf(session -> !session.contains("lease"))
        .pause(Duration.ofMillis(LoadPlan.HOLD_MILLIS))
        .exec(state::release)
        .exec(call(LockOp.RELEASE, state::released));
  }

  private static ChainBuilder call(LockOp op, UnaryOperator<Session> then) {
    return exec(http(session -> session.getString("phase") + " " + op.wireName())
            .post("/v1/locks/" + op.wireName())
            .body(StringBody(session -> session.getString("payload")))
            .check(
                status().saveAs("status"),
                bodyString().saveAs("body"),
                responseTimeInMillis().saveAs("ms"),
                status().is(200)))
        .exec(then);
  }

  /** Tells the process that runs this one where it is. */
  @Override
  public void before() {
    Thread marks = new Thread(this::mark, "marks");
    marks.setDaemon(true);
    marks.start();
  }

  private void mark() {
    try {
      for (Phase phase : Phase.values()) {
        long atMillis = plan.beginSeconds(phase) * 1_000L;
        while (state.elapsedMillis() < atMillis) {
          Thread.sleep(Math.max(1, atMillis - state.elapsedMillis()));
        }
        System.out.println(GatlingProcess.MARK + phase.name());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void after() {
    String out = System.getProperty("fencegate.load.out", "");
    if (out.isEmpty()) {
      System.out.println(state.tally().json(plan).toPrettyString());
      return;
    }
    try {
      new ObjectMapper().writeValue(Path.of(out).toFile(), state.tally().json(plan));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

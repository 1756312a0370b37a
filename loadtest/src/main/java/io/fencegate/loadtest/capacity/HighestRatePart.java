/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fencegate.lab.EtcdCluster;
import io.fencegate.loadtest.measure.GatewayProcess;
import java.time.Duration;
import java.util.function.Function;

/**
 * The highest rate that one etcd node and one gateway sustain: so many acquires, renewals and
 * releases a second each, see {@link RateSearch}. A step is sustained when at least {@value
 * #ENOUGH} of what was offered was done, nothing failed, and the 99th percentile of acquires is
 * within {@value LockSimulation#GOAL_P99_MILLIS} ms.
 */
final class HighestRatePart {

  private static final double ENOUGH = 0.95;
  private static final int HELD = 2_000;

  /** A JVM that is asked for the first rate at once fails it for being cold. */
  private static final double WARM_UP_DIVISOR = 4;

  private final Setting setting;
  private final double firstRate;
  private final int stepSeconds;
  private final int maxSteps;

  /**
   * A search.
   *
   * @param firstRate of each kind of call, per second
   * @param stepSeconds measured per step, after some seconds of warming up
   */
  HighestRatePart(Setting setting, double firstRate, int stepSeconds, int maxSteps) {
    this.maxSteps = maxSteps;
    this.setting = setting;
    this.firstRate = firstRate;
    this.stepSeconds = stepSeconds;
  }

  ObjectNode run() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    try (EtcdCluster etcd = EtcdCluster.start(1)) {
      try (InProcessLocks locks = new InProcessLocks(etcd.endpoints())) {
        json.set("inProcess", search("in process", rate -> inProcess(locks, rate)));
      }
      try (GatewayProcess gateway = setting.gateway("rate", etcd.endpoints())) {
        json.set("http", search("through HTTP", rate -> http(gateway, rate)));
      }
    }
    return json;
  }

  private ObjectNode search(String name, Function<Double, JsonNode> step) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    RateSearch search = new RateSearch(firstRate, maxSteps);
    setting.say("highest rate %s: warming up".formatted(name));
    JsonNode unused = step.apply(firstRate / WARM_UP_DIVISOR);
    while (search.goesOn()) {
      double rate = search.next();
      JsonNode figures = step.apply(rate).path("phases").path(Phase.STEADY.wireName());
      boolean good = isSustained(figures, rate);
      search.tried(good);
      setting.say(
          "highest rate %s: 3 x %d/s %s, p99 of acquires %d ms"
              .formatted(
                  name,
                  Math.round(rate),
                  good ? "sustained" : "not sustained",
                  figures.path("acquire").path("p99Ms").asLong()));
      ObjectNode entry = json.withArray("/steps").addObject();
      entry.put("eachPerSecond", Math.round(rate)).put("sustained", good).set("figures", figures);
    }
    json.put("eachPerSecond", Math.round(search.sustained()));
    json.put("callsPerSecond", Math.round(LockOp.values().length * search.sustained()));
    return json;
  }

  private static boolean isSustained(JsonNode figures, double rate) {
    for (LockOp op : LockOp.values()) {
      JsonNode of = figures.path(op.wireName());
      if (of.path("okPerSecond").asDouble() < ENOUGH * rate || !of.path("errors").isEmpty()) {
        return false;
      }
    }
    return figures.path("acquire").path("p99Ms").asLong() <= LockSimulation.GOAL_P99_MILLIS;
  }

  private JsonNode inProcess(InProcessLocks locks, double rate) {
    Tally tally = new Tally();
    OpenLoad.run(
        locks,
        rate,
        new OpenLoad.Times(
            Duration.ofSeconds(stepSeconds / 2 + 1), Duration.ofSeconds(stepSeconds)),
        tally);
    return tally.json(plan("", rate));
  }

  private JsonNode http(GatewayProcess gateway, double rate) {
    return GatlingProcess.run(
            plan(gateway.worker().toString(), rate),
            false,
            setting.directory().resolve("rate"),
            (phase, pid) -> {})
        .figures();
  }

  private LoadPlan plan(String url, double rate) {
    return new LoadPlan(
        url,
        Long.toHexString(System.nanoTime()),
        100_000,
        HELD,
        new LoadPlan.Rates(rate, rate),
        new LoadPlan.Times(2, stepSeconds / 2 + 1, stepSeconds, 0));
  }
}

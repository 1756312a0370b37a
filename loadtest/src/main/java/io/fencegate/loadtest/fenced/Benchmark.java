/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import io.fencegate.loadtest.measure.CpuMeter;
import io.fencegate.loadtest.measure.MachineLoad;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * All ways in turn, several rounds, so that all have their share of whatever else the machine does.
 * Each round begins with another one.
 */
final class Benchmark {

  private static final double NANOS_PER_MICRO = 1_000;

  private final Bench bench;
  private final Plan plan;
  private final Wrk wrk;
  private final Consumer<String> say;
  private final Proof proof = new Proof();

  /**
   * A benchmark.
   *
   * @param say tells a person how far it is
   */
  Benchmark(Bench bench, Plan plan, Wrk wrk, Consumer<String> say) {
    this.bench = bench;
    this.plan = plan;
    this.wrk = wrk;
    this.say = say;
  }

  /** Blocks until all rounds are over. */
  Figures run() {
    List<Lane> lanes = bench.lanes();
    lanes.forEach(proof::of);
    for (Lane lane : lanes) {
      say.accept("warming up: " + lane.way().title());
      wrk.run(lane, plan.warmUp());
    }
    Figures figures = new Figures();
    for (int round = 0; round < plan.rounds(); round++) {
      for (int i = 0; i < lanes.size(); i++) {
        measure(lanes.get((i + round) % lanes.size()), round + 1, figures);
      }
    }
    lanes.forEach(proof::of);
    return figures;
  }

  private void measure(Lane lane, int number, Figures figures) {
    RoundFigures round = round(lane, plan.roundLength());
    bench.check();
    figures.add(lane.way(), round);
    say.accept(
        "round %d of %d, %s: %d/s, p99 %d us%s"
            .formatted(
                number,
                plan.rounds(),
                lane.way().title(),
                Math.round(round.wrk().perSecond()),
                round.wrk().p99Micros(),
                round.wrk().errors() == 0 ? "" : ", " + round.wrk().errors() + " ERRORS"));
  }

  private RoundFigures round(Lane lane, Duration length) {
    CpuMeter cpu = new CpuMeter();
    lane.pids().forEach(pid -> cpu.add(Long.toString(pid), pid));
    MachineLoad proxyCore = MachineLoad.ofProcessor(plan.cores().proxy());
    MachineLoad loadCore = MachineLoad.ofProcessor(plan.cores().load());
    WrkFigures figures = wrk.run(lane, length);
    return new RoundFigures(
        figures,
        cpu.usedNanos() / NANOS_PER_MICRO / Math.max(1, figures.requests()),
        proxyCore.busyPercent(),
        loadCore.busyPercent());
  }
}

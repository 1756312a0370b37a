/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fencegate.lab.EtcdCluster;
import io.fencegate.loadtest.measure.CpuMeter;
import io.fencegate.loadtest.measure.GatewayProcess;
import io.fencegate.loadtest.measure.Spread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Cycles of locking and unlocking free locks, as fast as they go, on one etcd node: the lock
 * service in this process, etcd's own lock API, and the lock service through HTTP, in turn and
 * several times, so that all have their share of whatever else the machine does.
 */
final class CyclesPart {

  /** For the compilers. */
  private static final int WARM_UP_ROUNDS = 3;

  private static final double NANOS_PER_MICRO = 1_000;
  private static final int DECIMALS = 1;

  private final Setting setting;
  private final int rounds;
  private final Duration length;
  private final int atOnce;

  /**
   * A comparison.
   *
   * @param atOnce cycles under way at once, the same for all
   */
  CyclesPart(Setting setting, int rounds, Duration length, int atOnce) {
    this.setting = setting;
    this.rounds = rounds;
    this.length = length;
    this.atOnce = atOnce;
  }

  ObjectNode run() {
    try (EtcdCluster etcd = EtcdCluster.start(1);
        GatewayProcess gateway = setting.gateway("cycles", etcd.endpoints());
        InProcessLocks inProcess = new InProcessLocks(etcd.endpoints());
        EtcdLockApi own = new EtcdLockApi(inProcess.context(), etcd.endpoints().get(0));
        HttpCycles http = new HttpCycles(inProcess.vertx(), gateway.worker())) {
      return compare(inProcess, gateway, List.of(inProcess, own, http));
    }
  }

  private ObjectNode compare(InProcessLocks context, GatewayProcess gateway, List<Cycles> all) {
    List<List<Double>> rates = new ArrayList<>();
    List<List<Double>> micros = new ArrayList<>();
    all.forEach(unused -> rates.add(new ArrayList<>()));
    all.forEach(unused -> micros.add(new ArrayList<>()));
    for (int round = 1 - WARM_UP_ROUNDS; round <= rounds; round++) {
      for (int i = 0; i < all.size(); i++) {
        CpuMeter cpu = meter(gateway);
        double rate = CycleRound.perSecond(context.context(), all.get(i), atOnce, length);
        if (round > 0) {
          rates.get(i).add(rate);
          micros.get(i).add(cpu.usedNanos() / NANOS_PER_MICRO / (rate * length.toSeconds()));
          setting.say(
              "cycles: round %d of %d, %s: %d/s"
                  .formatted(round, rounds, all.get(i).name(), Math.round(rate)));
        }
      }
    }
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("atOnce", atOnce);
    for (int i = 0; i < all.size(); i++) {
      ObjectNode entry = json.withArray("/rows").addObject();
      entry.put("name", all.get(i).name());
      Spread.of(rates.get(i)).putInto(entry.putObject("perSecond"), DECIMALS);
      Spread.of(micros.get(i)).putInto(entry.putObject("cpuMicrosPerCycle"), DECIMALS);
      Spread.of(Spread.ratios(rates.get(i), rates.get(1)))
          .putInto(entry.putObject("timesEtcdsOwn"), DECIMALS);
    }
    return json;
  }

  /** Of everybody who works for a cycle: this process, etcd, the gateway. */
  private static CpuMeter meter(GatewayProcess gateway) {
    CpuMeter cpu = new CpuMeter().add("this", ProcessHandle.current().pid());
    EtcdProcesses.pids().forEach(pid -> cpu.add("etcd" + pid, pid));
    return cpu.add("gateway", gateway.pid());
  }
}

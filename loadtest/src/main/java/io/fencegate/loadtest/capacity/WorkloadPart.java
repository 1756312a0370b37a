/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fencegate.lab.EtcdCluster;
import io.fencegate.lab.EtcdNode;
import io.fencegate.lab.EtcdOptions;
import io.fencegate.loadtest.measure.CpuMeter;
import io.fencegate.loadtest.measure.GatewayProcess;
import io.fencegate.loadtest.measure.MachineLoad;
import io.fencegate.loadtest.measure.MeasurementFailure;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The load that the product is made for, through the HTTP API of one gateway and three etcd nodes,
 * of which one is killed at half time while history is compacted all the time.
 */
final class WorkloadPart {

  private final Setting setting;
  private final LoadPlan plan;
  private final Victim victim;
  private final AtomicReference<@Nullable Meters> meters = new AtomicReference<>();

  /** What runs while a phase does. */
  private record Meters(Phase phase, CpuMeter cpu, MachineLoad machine) {}

  /** Which node is killed. */
  enum Victim {
    LEADER,
    FOLLOWER,
    NONE
  }

  /** A run; {@link MeasurementFailure} where the plan cannot work. */
  WorkloadPart(Setting setting, LoadPlan plan, Victim victim) {
    plan.objection()
        .ifPresent(
            objection -> {
              throw new MeasurementFailure(objection);
            });
    this.setting = setting;
    this.plan = plan;
    this.victim = victim;
  }

  ObjectNode run() {
    setting.say("workload: starting three etcd nodes and a gateway");
    EtcdOptions options = EtcdOptions.ofNodes(3).withFlags("--snapshot-count=10000");
    try (EtcdCluster etcd = EtcdCluster.start(options);
        Compactor compactor = Compactor.start(etcd);
        GatewayProcess gateway = setting.gateway("workload", etcd.endpoints())) {
      ObjectNode json = load(etcd, gateway);
      return json.put("compactions", compactor.done());
    }
  }

  private ObjectNode load(EtcdCluster etcd, GatewayProcess gateway) {
    LoadPlan aimed =
        new LoadPlan(
            gateway.worker().toString(),
            plan.runId(),
            plan.resources(),
            plan.held(),
            plan.rates(),
            plan.times());
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    GatlingProcess.Run run =
        GatlingProcess.run(
            aimed,
            true,
            setting.directory().resolve("workload"),
            (phase, pid) -> entered(phase, pid, etcd, gateway, json));
    json.setAll(run.figures());
    json.put("assertionsHeld", run.assertionsHeld());
    json.put("resources", plan.resources());
    json.put("held", plan.held());
    json.put("killed", victim.name().toLowerCase(Locale.ROOT));
    HeapLog.Heap heap = setting.heapLog("workload").heap();
    json.withObject("/gatewayMemory")
        .put("heapPeakMib", heap.peakMib())
        .put("heapLivePeakMib", heap.peakLiveMib())
        .put("heapMaxMib", heap.maxMib())
        .put("residentPeakMib", gateway.peakResidentMib());
    return json;
  }

  private void entered(
      Phase phase, long gatling, EtcdCluster etcd, GatewayProcess gateway, ObjectNode json) {
    setting.say("workload: %s, %d s".formatted(phase.wireName(), plan.seconds(phase)));
    Meters ended = meters.get();
    if (ended != null) {
      ObjectNode used = json.withObject("/cpuPercent/" + ended.phase().wireName());
      used.setAll(ended.cpu().percents());
      used.put("machine", ended.machine().busyPercent());
    }
    if (phase == Phase.AFTER) {
      kill(etcd);
    }
    CpuMeter cpu = new CpuMeter().add("gateway", gateway.pid()).add("gatling", gatling);
    List<Long> nodes = EtcdProcesses.pids();
    for (int i = 0; i < nodes.size(); i++) {
      cpu.add("etcd" + (i + 1), nodes.get(i));
    }
    meters.set(new Meters(phase, cpu, MachineLoad.ofAll()));
  }

  private void kill(EtcdCluster etcd) {
    if (victim == Victim.NONE) {
      return;
    }
    EtcdNode node = victim == Victim.LEADER ? etcd.leader() : etcd.follower();
    node.kill();
    setting.say("workload: killed " + node.name() + ", a " + victim);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.campaign;

import io.fencegate.adapter.tck.FaultProxy;
import io.fencegate.lab.EtcdCluster;
import io.fencegate.lab.EtcdNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One fault after another, each healed before the next. The kinds come in a random order, every
 * kind once before any comes again.
 */
final class Trouble implements Runnable {

  private static final long LEAST_MILLIS = 400;
  private static final int MORE_MILLIS = 2_600;
  private static final long STEP_MILLIS = 20;

  /** A fault and how it is healed. */
  private record Fault(String name, Runnable strike, Runnable heal) {}

  private final EtcdCluster cluster;
  private final List<CampaignGateway> gateways;
  private final Wires wires;
  private final Random random;
  private final BooleanSupplier goesOn;
  private final Consumer<String> tell;

  /** What is there to be broken. */
  record Targets(EtcdCluster cluster, List<CampaignGateway> gateways, Wires wires) {}

  Trouble(Targets targets, Random random, BooleanSupplier goesOn, Consumer<String> tell) {
    this.cluster = targets.cluster();
    this.gateways = targets.gateways();
    this.wires = targets.wires();
    this.random = random;
    this.goesOn = goesOn;
    this.tell = tell;
  }

  @Override
  public void run() {
    List<Fault> left = new ArrayList<>();
    while (goesOn.getAsBoolean()) {
      if (left.isEmpty()) {
        left.addAll(faults());
        Collections.shuffle(left, random);
      }
      Fault fault = left.remove(0);
      tell.accept(fault.name());
      fault.strike().run();
      try {
        pause();
      } finally {
        fault.heal().run();
      }
      pause();
    }
  }

  private void pause() {
    long millis = LEAST_MILLIS + random.nextInt(MORE_MILLIS);
    for (long waited = 0; waited < millis && goesOn.getAsBoolean(); waited += STEP_MILLIS) {
      Pauses.millis(STEP_MILLIS);
    }
  }

  private List<Fault> faults() {
    int number = random.nextInt(gateways.size());
    CampaignGateway gateway = gateways.get(number);
    EtcdNode node = cluster.node(random.nextInt(cluster.nodes().size()));
    FaultProxy wire = wires.of(number).get(random.nextInt(wires.of(number).size()));
    return List.of(
        new Fault("gateway " + number + " is killed", gateway::kill, gateway::restart),
        new Fault("gateway " + number + " is paused", gateway::pause, gateway::resume),
        new Fault(node.name() + " is killed", node::kill, cluster::startAll),
        leaderPaused(),
        new Fault("a wire of gateway " + number + " is cut", wire::cut, wire::pass),
        new Fault(
            "a wire of gateway " + number + " loses replies",
            wire::swallowReplies,
            () -> {
              wire.reset();
              wire.pass();
            }),
        everyWire(number, "are silent", FaultProxy::blackhole),
        everyWire(number, "are reset", FaultProxy::reset),
        everyWire(number, "lose replies", FaultProxy::swallowReplies));
  }

  private Fault leaderPaused() {
    List<EtcdNode> paused = new ArrayList<>();
    return new Fault(
        "the leader is paused",
        () -> {
          EtcdNode leader = cluster.leader();
          leader.pause();
          paused.add(leader);
        },
        () -> {
          paused.forEach(EtcdNode::resume);
          paused.clear();
        });
  }

  /** A blackholed connection never carries anything again, so it is closed first. */
  private Fault everyWire(int number, String what, Consumer<FaultProxy> strike) {
    List<FaultProxy> all = wires.of(number);
    return new Fault(
        "all wires of gateway " + number + " " + what,
        () -> all.forEach(strike),
        () ->
            all.forEach(
                wire -> {
                  wire.reset();
                  wire.pass();
                }));
  }
}

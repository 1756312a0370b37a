/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.model;

import io.fencegate.coordination.embedded.TestClocks;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.GenerationRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.model.Observed.Answer;
import io.fencegate.coordination.model.Observed.Kind;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.token.Generation;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Two gateways on one store under keys of their own, the clocks, and the oracles that judge what is
 * seen. Plays steps in the test's thread.
 */
final class World implements AutoCloseable {

  static final int GATEWAYS = 2;

  /** Not longer than a call of a hasty caller, not so long that steps take long. */
  private static final Duration HASTY = Duration.ofMillis(40);

  private static final Duration PATIENT = Duration.ofSeconds(20);

  /** For the calls of a step that find the lease still there, also on a busy machine. */
  private static final Duration BEFORE_END = Duration.ofMillis(300);

  private static final Duration AFTER_END = Duration.ofMillis(10);

  /** What a world stands on; it outlives the world. */
  record Ground(
      Vertx vertx,
      CoordinationStore store,
      TestClocks clocks,
      Runnable afterPassing,
      Duration lateness) {}

  private final Ground ground;
  private final String prefix;
  private final Keyspace keys;
  private final List<Gateway> gateways = new ArrayList<>();
  private final List<Gateway> dead = new ArrayList<>();
  private final Map<Integer, ResourceOracle> oracles = new HashMap<>();
  private final Map<Integer, List<Answer>> granted = new HashMap<>();
  private final Map<Integer, Long> epochs = new HashMap<>();
  private int generation;
  private int observed;

  World(Ground ground, String prefix) {
    this.ground = ground;
    this.prefix = prefix;
    this.keys = new Keyspace(prefix);
    for (int i = 0; i < GATEWAYS; i++) {
      gateways.add(Gateway.start(ground, prefix));
    }
    for (int resource = 0; resource < Script.RESOURCES; resource++) {
      oracles.put(resource, new ResourceOracle(resource, ground.lateness()));
      granted.put(resource, new ArrayList<>());
    }
  }

  void play(Step step) {
    if (step instanceof Step.Calls calls) {
      calls(calls);
    } else if (step instanceof Step.Crash crash) {
      crash(crash);
    } else if (step instanceof Step.DeliverLate) {
      deliverLate();
    } else if (step instanceof Step.DropLate) {
      everyGateway().forEach(gateway -> gateway.wire().dropDelayed());
      landed();
    } else if (step instanceof Step.Pass pass) {
      pass(Duration.ofMillis(pass.millis()));
    } else if (step instanceof Step.NearEnd end) {
      passUntil(oracle(end.resource()).sureUntil(now()), BEFORE_END.negated());
    } else if (step instanceof Step.PastEnd end) {
      passUntil(oracle(end.resource()).goneBy(now()), AFTER_END);
    } else {
      raiseGeneration();
    }
  }

  private ResourceOracle oracle(int resource) {
    return Objects.requireNonNull(oracles.get(resource));
  }

  private long now() {
    return ground.clocks().read().monotonicNanos();
  }

  /** A call about a lease that nobody got is none. */
  private boolean isPossible(Call call) {
    return call.isAcquire() || call.what() == Call.What.SHOW || call.which() < leases(call).size();
  }

  private List<Answer> leases(Call call) {
    return Objects.requireNonNull(granted.get(call.resource()));
  }

  private Answer lease(Call call) {
    if (call.isAcquire() || call.what() == Call.What.SHOW) {
      return Answer.of(Kind.NOT_DONE);
    }
    List<Answer> leases = leases(call);
    return leases.get(leases.size() - 1 - call.which());
  }

  private void calls(Step.Calls step) {
    List<Call> calls = step.calls().stream().filter(this::isPossible).toList();
    if (calls.isEmpty()) {
      return;
    }
    arm(gateways.get(calls.get(0).gateway()), step.fault(), Promise.promise());
    long from = now();
    List<Answer> shown = calls.stream().map(this::lease).toList();
    List<Future<Answer>> answers = new ArrayList<>();
    for (int i = 0; i < calls.size(); i++) {
      answers.add(start(calls.get(i), shown.get(i)));
    }
    answers.forEach(World::await);
    expectAnswers(calls, answers);
    long to = now();
    gateways.forEach(gateway -> gateway.wire().forgetFaults());
    Map<Integer, List<Observed>> seen = new LinkedHashMap<>();
    for (int i = 0; i < calls.size(); i++) {
      Observed one =
          new Observed(
              observed++,
              calls.get(i),
              shown.get(i).lease(),
              answers.get(i).result(),
              !step.fault().isNone(),
              isQueued(calls, calls.get(i), from),
              from,
              to);
      seen.computeIfAbsent(one.call().resource(), r -> new ArrayList<>()).add(one);
    }
    seen.values().forEach(this::observe);
  }

  /** Whether a waiter's place may stand in the queue. */
  private boolean isQueued(List<Call> calls, Call one, long from) {
    return oracle(one.resource()).mayBeQueued(from)
        || calls.stream()
            .anyMatch(it -> it.what() == Call.What.WAIT && it.resource() == one.resource());
  }

  private Future<Answer> start(Call call, Answer lease) {
    Duration budget = call.hasty() ? HASTY : PATIENT;
    return gateways.get(call.gateway()).call(call, lease, now() + budget.toNanos());
  }

  /** The wires are good again soon: whoever has time learns what came of the call. */
  private static void expectAnswers(List<Call> calls, List<Future<Answer>> answers) {
    for (int i = 0; i < calls.size(); i++) {
      Kind kind = answers.get(i).result().kind();
      boolean waits = calls.get(i).what() == Call.What.WAIT;
      if (!calls.get(i).hasty() && !waits && (kind == Kind.NOT_DONE || kind == Kind.UNKNOWN)) {
        throw new AssertionError("no answer in " + PATIENT + ": " + calls.get(i) + ": " + kind);
      }
    }
  }

  private void observe(List<Observed> seen) {
    oracle(seen.get(0).call().resource()).observe(seen);
    for (Observed one : seen) {
      List<Answer> leases = leases(one.call());
      if (one.answer().kind() == Kind.GRANTED
          && leases.stream().noneMatch(it -> it.token() == one.answer().token())) {
        leases.add(one.answer());
      }
      if (one.answer().kind() == Kind.VERIFIED) {
        expectEpoch(one);
      }
    }
  }

  /** The epoch is durable before the answer, and only rises. */
  private void expectEpoch(Observed verified) {
    Key key = keys.epoch(Gateway.resource(verified.call()));
    long epoch =
        commit(new Op.Get(key))
            .members()
            .get(0)
            .entry(0)
            .map(entry -> EpochRecord.raisedIn(entry).value())
            .orElse(0L);
    long least =
        leases(verified.call()).stream()
            .filter(it -> it.lease().equals(verified.lease()))
            .mapToLong(Answer::token)
            .findFirst()
            .orElseThrow();
    long before = epochs.merge(verified.call().resource(), epoch, Math::max);
    if (epoch < least || epoch < before) {
      throw new AssertionError("epoch is " + epoch + " (was " + before + ") after " + verified);
    }
  }

  private BatchResult.Committed commit(Op op) {
    Batch batch =
        new Batch(List.of(), List.of(new Member(List.of(), List.of(op), List.of())), List.of());
    return (BatchResult.Committed) await(ground.store().commit(batch));
  }

  private void arm(Gateway gateway, WireFault fault, Promise<Void> struck) {
    int[] left = {fault.skip()};
    Predicate<Batch> next =
        batch -> {
          boolean hit = !isHeartbeat(batch) && left[0]-- <= 0;
          if (hit) {
            struck.tryComplete();
          }
          return hit;
        };
    for (int i = 0; i < fault.count(); i++) {
      if (fault.kind() == WireFault.Kind.DELAY) {
        gateway.wire().delay(next);
      } else {
        gateway.wire().loseReply(next);
      }
    }
  }

  /** They come by the clock, not by steps: left alone, sequences play alike each time. */
  private static boolean isHeartbeat(Batch batch) {
    return batch.outer().isEmpty()
        && batch.members().stream()
            .flatMap(member -> member.then().stream())
            .anyMatch(op -> op instanceof Op.Touch);
  }

  private void crash(Step.Crash step) {
    Call call = step.call();
    if (!isPossible(call)) {
      return;
    }
    Gateway gateway = gateways.get(call.gateway());
    Promise<Void> struck = Promise.promise();
    arm(gateway, step.fault(), struck);
    long from = now();
    Answer lease = lease(call);
    Future<Answer> answer = start(call, lease);
    await(Future.any(answer, struck.future()));
    gateway.wire().cut();
    gateway.crash();
    dead.add(gateway);
    gateways.set(call.gateway(), Gateway.start(ground, prefix));
    Answer heard = answer.succeeded() ? answer.result() : Answer.of(Kind.UNKNOWN);
    boolean queued = oracle(call.resource()).mayBeQueued(from);
    observe(
        List.of(new Observed(observed++, call, lease.lease(), heard, true, queued, from, now())));
  }

  private List<Gateway> everyGateway() {
    List<Gateway> all = new ArrayList<>(gateways);
    all.addAll(dead);
    return all;
  }

  private void deliverLate() {
    for (Gateway gateway : everyGateway()) {
      for (Future<BatchResult> late : gateway.wire().deliverDelayed()) {
        await(late.otherwiseEmpty());
      }
    }
    landed();
  }

  /** With nothing on the wires, what was not done is never done. */
  private void landed() {
    long from = now();
    everyGateway().forEach(gateway -> await(gateway.wire().landed()));
    dead.clear();
    oracles.values().forEach(oracle -> oracle.settle(from, now()));
  }

  private void passUntil(long end, Duration more) {
    long nanos = end - now() + more.toNanos();
    if (nanos > 0) {
      pass(Duration.ofNanos(nanos));
    }
  }

  private void pass(Duration time) {
    ground.clocks().advance(time);
    ground.afterPassing().run();
  }

  /** As an operator does it, behind the gateways' backs. */
  private void raiseGeneration() {
    long from = now();
    generation++;
    Op put =
        new Op.Put(
            keys.generation(),
            new GenerationRecord(new Generation(generation)).encode(),
            LeaseHandle.NONE);
    commit(put);
    oracles.values().forEach(oracle -> oracle.raiseGeneration(from, now()));
  }

  @Override
  public void close() {
    gateways.forEach(gateway -> await(gateway.close()));
  }

  static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }
}

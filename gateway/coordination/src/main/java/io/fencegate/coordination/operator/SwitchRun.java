/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.operator;

import io.fencegate.coordination.key.FreezeRecord;
import io.fencegate.coordination.key.PolicyRecord;
import io.fencegate.coordination.operator.PolicySwitch.Progress;
import io.fencegate.coordination.operator.PolicySwitch.State;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.MemberResult;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.policy.agreement.Recorded;
import io.fencegate.policy.freeze.Freeze;
import io.fencegate.policy.freeze.FreezeScope;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.ClockReading;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** One switch under way: waits until nothing goes by the old form, then replaces it. */
final class SwitchRun {

  private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

  /** Who has not drained by then hangs, and an operator has to look after it. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final int MOST_DOUBTS = 1_000;
  private static final int SHOWN_DOUBTS = 10;

  private static final long NANOS_PER_MILLI = 1_000_000L;

  private final PolicySwitch.Parts parts;
  private final SwitchOrder order;
  private final BooleanSupplier stopped;
  private final Consumer<Progress> told;

  /**
   * A run that has frozen what it needs.
   *
   * @param stopped whether the process ends
   * @param told of every step
   */
  SwitchRun(
      PolicySwitch.Parts parts,
      SwitchOrder order,
      BooleanSupplier stopped,
      Consumer<Progress> told) {
    this.parts = parts;
    this.order = order;
    this.stopped = stopped;
    this.told = told;
  }

  /** Time counts from here on, when the freeze is there for certain. */
  Progress start(Duration quiet) {
    ClockReading now = parts.clocks().read();
    long quietAtNanos = now.monotonicNanos() + quiet.toNanos();
    Progress begun =
        new Progress(
            order.policy(),
            State.DRAINING,
            order.freezes(),
            List.of(),
            now.millisUntil(quietAtNanos),
            "");
    told.accept(begun);
    wait(quietAtNanos, now.monotonicNanos() + PATIENCE.toNanos());
    return begun;
  }

  private void wait(long quietAtNanos, long lastNanos) {
    if (stopped.getAsBoolean()) {
      return;
    }
    Future.join(parts.store().commitAlone(lookAt()), undrained(), doubts())
        .onComplete(
            looked -> {
              if (looked.failed()) {
                waitOn(List.of("the coordinator"), quietAtNanos, lastNanos);
                return;
              }
              MemberResult found = looked.result().resultAt(0);
              List<String> left = new ArrayList<>(looked.result().<List<String>>resultAt(1));
              left.addAll(looked.result().<List<String>>resultAt(2));
              boolean frozen =
                  found.results().stream().skip(1).allMatch(it -> it.entry().isPresent());
              if (!frozen) {
                lifted(found.entry(0));
              } else if (left.isEmpty() && !parts.clocks().read().isBefore(quietAtNanos)) {
                forgetThenReplace();
              } else {
                waitOn(left, quietAtNanos, lastNanos);
              }
            });
  }

  private Member lookAt() {
    List<Op> gets = new ArrayList<>(List.of(new Op.Get(parts.keys().policy(order.policy()))));
    order.freezes().forEach(it -> gets.add(new Op.Get(parts.keys().freeze(it))));
    return new Member(List.of(), gets, List.of());
  }

  private Future<List<String>> undrained() {
    List<Future<List<String>>> all =
        order.freezes().stream().map(parts.orders()::undrained).toList();
    return Future.join(all)
        .map(
            unused ->
                all.stream().flatMap(it -> it.result().stream()).distinct().sorted().toList());
  }

  /** By another gateway that went on with this switch, or by an operator. */
  private void lifted(Optional<Entry> record) {
    if (record.filter(it -> order.wants(it.value())).isPresent()) {
      switched();
    } else {
      liftThenFail("a freeze of it was lifted by somebody: begin again");
    }
  }

  private void waitOn(List<String> left, long quietAtNanos, long lastNanos) {
    ClockReading now = parts.clocks().read();
    if (!now.isBefore(lastNanos)) {
      giveUp(left);
      return;
    }
    tell(left, now, quietAtNanos);
    parts
        .vertx()
        .timer(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS)
        .onComplete(unused -> wait(quietAtNanos, lastNanos));
  }

  private void tell(List<String> left, ClockReading now, long quietAtNanos) {
    told.accept(
        new Progress(
            order.policy(),
            State.DRAINING,
            order.freezes(),
            left,
            Math.max(1, (quietAtNanos - now.monotonicNanos()) / NANOS_PER_MILLI),
            ""));
  }

  private void giveUp(List<String> left) {
    liftThenFail(
        "not drained after " + PATIENCE.toMinutes() + " minutes: " + String.join(", ", left));
  }

  /** Nothing has changed, so the old form goes on. */
  private void liftThenFail(String why) {
    List<Future<Ruling<Freeze>>> lifts =
        order.freezes().stream().map(parts.orders()::lift).toList();
    Future.join(lifts)
        .onComplete(
            unused -> {
              boolean all = lifts.stream().allMatch(SwitchRun::isLifted);
              fail(all ? why : why + "; its freezes may still be in force: see the freezes");
            });
  }

  private static boolean isLifted(Future<Ruling<Freeze>> lift) {
    return lift.succeeded()
        && lift.result().fold(freeze -> true, refusal -> refusal.code() == RefusalCode.NOT_FOUND);
  }

  private void fail(String why) {
    told.accept(Progress.ended(order.policy(), State.FAILED, why));
  }

  /**
   * Writes in doubt keep newer tokens out at the downstream that they may land in; nobody would
   * look for them at another one. Some settle by themselves, of some a probe or an operator tells.
   */
  private Future<List<String>> doubts() {
    if (!order.moves()) {
      return Future.succeededFuture(List.of());
    }
    return parts
        .store()
        .range(parts.keys().unresolved(), MOST_DOUBTS)
        .map(
            page ->
                page.entries().stream()
                    .flatMap(it -> parts.keys().resourceOfUnresolved(it.key()).stream())
                    .filter(order::moves)
                    .distinct()
                    .map(it -> "a write in doubt to " + it)
                    .limit(SHOWN_DOUBTS)
                    .toList());
  }

  /** What the former downstream has accepted says nothing about another one. */
  private void forgetThenReplace() {
    stillWanted()
        .compose(
            unused ->
                order.moves()
                    ? parts.confirmations().forget(order::moves)
                    : Future.succeededFuture())
        .onSuccess(unused -> replace())
        .onFailure(failure -> liftThenFail(String.valueOf(failure.getMessage())));
  }

  /** Another gateway may have recorded something meanwhile that this switch has not frozen. */
  private Future<Void> stillWanted() {
    return parts
        .board()
        .readAnew()
        .compose(
            unused -> {
              Set<FreezeScope> frozen =
                  parts.board().last().all().stream()
                      .filter(it -> order.freezes().contains(it.id()))
                      .map(Freeze::scope)
                      .collect(Collectors.toSet());
              boolean all =
                  contradicting().stream()
                      .allMatch(it -> frozen.contains(new FreezeScope.OfPolicy(it)));
              return all
                  ? Future.succeededFuture()
                  : Future.failedFuture(
                      new StoreException(
                          StoreException.Kind.DEFINITE,
                          "a policy for some of the same resources came in force meanwhile: begin"
                              + " again"));
            });
  }

  private List<PolicyName> contradicting() {
    return order.wanted() instanceof Recorded.InForce it
        ? parts.register().contradicting(it.terms())
        : List.of();
  }

  private void replace() {
    Key policy = parts.keys().policy(order.policy());
    List<Compare> compares = new ArrayList<>();
    List<Op> then = new ArrayList<>();
    compares.add(new Compare.ModifiedAt(policy, order.revision()));
    then.add(new Op.Put(policy, PolicyRecord.encode(order.wanted()), LeaseHandle.NONE));
    for (String id : order.freezes()) {
      compares.add(new Compare.ValuePrefix(parts.keys().freeze(id), FreezeRecord.THERE));
      then.add(new Op.Delete(parts.keys().freeze(id)));
    }
    Member replacing = new Member(compares, then, List.of());
    parts
        .store()
        .commitAlone(replacing)
        .onFailure(inDoubt -> fail("in doubt (" + inDoubt.getMessage() + "): begin again"))
        .onSuccess(
            result -> {
              if (result.held()) {
                switched();
              } else {
                liftThenFail("the policy or a freeze was changed meanwhile: begin again");
              }
            });
  }

  private void switched() {
    parts
        .board()
        .readAnew()
        .otherwiseEmpty()
        .compose(
            unused -> Future.join(order.freezes().stream().map(parts.orders()::forget).toList()))
        .onComplete(unused -> told.accept(Progress.ended(order.policy(), State.SWITCHED, "")));
  }
}

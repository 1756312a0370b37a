/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.FencedWrite;
import io.fencegate.adapter.spi.ForwardOutcome;
import io.fencegate.adapter.spi.ProxiedRequest;
import io.fencegate.adapter.spi.ProxyAdapter;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.slot.Custody;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.fence.Entry;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to downstreams that cannot refuse a stale token themselves: each waits for its turn, is
 * compared once more right before its first byte, and keeps its place before newer tokens for as
 * long as it may still land. Used from one context.
 */
final class Sequencer {

  private static final Logger LOG = LoggerFactory.getLogger(Sequencer.class);

  private final Turns turns;
  private final DrainBarrier barrier;
  private final GatewaySession session;
  private final Custody custody;
  private final FreezeGate freezes;
  private final Clocks clocks;
  private final Reports reports;
  private final KeyedForwards keyed;

  Sequencer(WriteService.Parts parts, Reports reports, KeyedForwards keyed) {
    this.turns = new Turns(parts.vertx(), parts.barrier(), parts.clocks());
    this.barrier = parts.barrier();
    this.session = parts.session();
    this.custody = parts.custody();
    this.freezes = new FreezeGate(parts.freezes(), parts.agreedPolicies());
    this.clocks = parts.clocks();
    this.reports = reports;
    this.keyed = keyed;
  }

  /** A write that has entered, and how it enters again where something moved under it. */
  private record Entered(
      WriteCommand command, Permit permit, Supplier<Future<WriteReport>> again) {}

  /**
   * Carries the command's task out when its turn comes.
   *
   * @param again enters once more
   */
  Future<WriteReport> carryOut(
      WriteCommand command, Permit permit, Supplier<Future<WriteReport>> again) {
    Entered entered = new Entered(command, permit, again);
    return turns
        .await(permit, command.deadlineNanos())
        .compose(
            turn ->
                turn.fold(
                    unused -> begin(entered),
                    refusal -> Future.succeededFuture(reports.refused(command, refusal))));
  }

  private Future<WriteReport> begin(Entered entered) {
    WriteTask task = entered.command().task();
    if (task instanceof WriteTask.Forward forward) {
      return forward(entered, forward);
    }
    if (!lastLook(entered)) {
      return withheld(entered);
    }
    return task instanceof WriteTask.Operations operations
        ? apply(entered, operations.content())
        : Future.succeededFuture(reports.applied(entered.command(), "[]"));
  }

  /** Everything that entering compared, once more; false: nothing may be sent any more. */
  private boolean lastLook(Entered entered) {
    ClockReading now = clocks.read();
    return now.isBefore(entered.command().deadlineNanos())
        && session.isFresh(now)
        && freezes.admits(entered.command(), now)
        && custody.holds(entered.permit(), now)
        && barrier.confirm(entered.permit(), now) instanceof Entry.Entered;
  }

  private Future<WriteReport> withheld(Entered entered) {
    barrier.leave(entered.permit());
    return clocks.read().isBefore(entered.command().deadlineNanos())
        ? entered.again().get()
        : Future.succeededFuture(reports.refused(entered.command(), WriteService.outOfTime()));
  }

  // ---- proxied requests

  private Future<WriteReport> forward(Entered entered, WriteTask.Forward forward) {
    return keyed.carryOut(
        entered.command(),
        forward.request(),
        new KeyedForwards.Steps(
            request -> send(entered, forward.adapter(), request),
            outcome ->
                outcome.fold(
                    answered -> answered(entered, answered),
                    () -> withheld(entered),
                    refusal -> Future.succeededFuture(reports.refused(entered.command(), refusal)),
                    unknown -> unknown(entered, unknown.reason()))));
  }

  private Future<ForwardOutcome> send(
      Entered entered, ProxyAdapter adapter, ProxiedRequest request) {
    return adapter
        .forward(
            entered.permit(), request, entered.command().deadlineNanos(), () -> lastLook(entered))
        .otherwise(Sequencer::forwardDefect);
  }

  private static ForwardOutcome forwardDefect(Throwable defect) {
    LOG.error("an adapter's forward failed", defect);
    return new ForwardOutcome.Unknown("the adapter met a defect");
  }

  private Future<WriteReport> answered(Entered entered, ForwardOutcome.Answered answered) {
    if (!answered.settled()) {
      keepPlace(entered, "the downstream answered " + answered.status());
    }
    return Future.succeededFuture(
        reports.answered(entered.command(), answered.status(), answered.settled()));
  }

  // ---- operations

  private Future<WriteReport> apply(Entered entered, WriteContent content) {
    WriteCommand command = entered.command();
    return command
        .adapter()
        .apply(entered.permit(), new FencedWrite(content, command.claim(), command.deadlineNanos()))
        .otherwise(WriteService::applyDefect)
        .compose(outcome -> outcome.fold(cases(entered)));
  }

  private ApplyOutcome.Cases<Future<WriteReport>> cases(Entered entered) {
    WriteCommand command = entered.command();
    return new ApplyOutcome.Cases<>(
        applied -> Future.succeededFuture(reports.applied(command, applied.resultsJson())),
        replayed -> Future.succeededFuture(reports.replayed(command, replayed.recorded())),
        stale -> Future.succeededFuture(reports.refused(command, judged())),
        sealFirst -> Future.succeededFuture(reports.refused(command, judged())),
        rejected -> Future.succeededFuture(reports.refused(command, rejected.refusal())),
        unknown -> unknown(entered, unknown.reason()));
  }

  private static Refusal judged() {
    return RefusalCode.DOWNSTREAM_UNAVAILABLE.because(
        "the adapter judges tokens although it said that the gateway does; nothing was done");
  }

  // ---- doubt

  private Future<WriteReport> unknown(Entered entered, String reason) {
    keepPlace(entered, reason);
    return Future.succeededFuture(reports.unknown(entered.command(), reason));
  }

  private void keepPlace(Entered entered, String reason) {
    Optional<Duration> settleAfter = entered.command().policy().onUnresolved().settleAfter();
    long nowNanos = clocks.read().monotonicNanos();
    custody.unresolved(
        entered.permit(),
        reason,
        settleAfter
            .map(it -> OptionalLong.of(nowNanos + it.toNanos()))
            .orElseGet(OptionalLong::empty));
    LOG.warn(
        "a write to {} with token {} may still land ({}): newer tokens {}",
        entered.command().resource(),
        entered.permit().token(),
        reason,
        settleAfter.map(it -> "wait for " + it).orElse("are refused"));
  }
}

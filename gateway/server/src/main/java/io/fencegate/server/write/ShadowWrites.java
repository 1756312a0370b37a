/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.FencedWrite;
import io.fencegate.coordination.epoch.Verified;
import io.fencegate.policy.fence.ShadowFence;
import io.fencegate.policy.fence.ShadowPermit;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.clock.InTime;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The path of a write in shadow: judge it as if it were enforced, raising nothing, and send it on
 * whatever was found. So nothing that only judging needs may keep it from being sent: a coordinator
 * that does not answer within a second is one more reason for which enforcing would have refused.
 *
 * <p>Whether the resource is in shadow is looked at again right before the write is sent: judging
 * takes time, and nothing goes out unfenced once a resource is enforced.
 *
 * <p>A freeze that is known stops a write in shadow like any other. That the freezes cannot be read
 * does not: shadow promises nothing, and must not cost a write for want of the coordinator.
 *
 * <p>Used from one context.
 */
final class ShadowWrites {

  /** What judging may add to a write: as much as an enforced one waits for one heartbeat. */
  private static final Duration JUDGE_BUDGET = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(ShadowWrites.class);

  private final Parts parts;
  private final Function<WriteCommand, Future<Boolean>> fresh;

  /** What the path works with. */
  record Parts(
      Vertx vertx,
      ShadowFence fence,
      TokenSources sources,
      Clocks clocks,
      Predicate<ResourceName> inShadow,
      FreezeGate freezes,
      Reports reports,
      Reconciler reconciler) {}

  /**
   * A path.
   *
   * @param fresh whether this gateway's life was confirmed recently
   */
  ShadowWrites(Parts parts, Function<WriteCommand, Future<Boolean>> fresh) {
    this.parts = parts;
    this.fresh = fresh;
  }

  /** Judges the write and sends it on; its key was looked up before. */
  Future<WriteReport> submit(WriteCommand command) {
    return InTime.of(parts.vertx(), judge(command), JUDGE_BUDGET)
        .otherwise(failure -> ShadowVerdict.refused(notJudged(failure)))
        .compose(verdict -> sendOn(command).map(report -> report.in(verdict)));
  }

  private static Refusal notJudged(Throwable failure) {
    return RefusalCode.COORDINATOR_UNAVAILABLE.because("the token was not judged: " + failure);
  }

  // ---- what enforcing would say

  private Future<ShadowVerdict> judge(WriteCommand command) {
    WriteHeader shown = command.shown();
    if (shown == null) {
      return refused(RefusalCode.TOKEN_REQUIRED.because("no Fencing-Token header was given"));
    }
    Optional<Refusal> objection = parts.sources().objection(command);
    if (objection.isPresent()) {
      return refused(objection.get());
    }
    return fresh
        .apply(command)
        .compose(
            yes ->
                yes
                    ? judge(command, shown, true)
                    : refused(
                        RefusalCode.COORDINATOR_UNAVAILABLE.because(
                            "the coordinator has not confirmed this gateway lately")));
  }

  private Future<ShadowVerdict> judge(WriteCommand command, WriteHeader shown, boolean mayAsk) {
    return parts
        .fence()
        .judge(command.resource(), shown, command.leaseRequired(), parts.clocks().read())
        .fold(
            () -> Future.succeededFuture(ShadowVerdict.ACCEPTED),
            () -> mayAsk ? ask(command, shown) : refused(changing()),
            ShadowWrites::refused);
  }

  private static Refusal changing() {
    return RefusalCode.COORDINATOR_UNAVAILABLE.because("the lock keeps changing");
  }

  private static Future<ShadowVerdict> refused(Refusal refusal) {
    return Future.succeededFuture(ShadowVerdict.refused(refusal));
  }

  private Future<ShadowVerdict> ask(WriteCommand command, WriteHeader shown) {
    long deadlineNanos = parts.clocks().read().monotonicNanos() + JUDGE_BUDGET.toNanos();
    return parts
        .sources()
        .verify(command, deadlineNanos)
        .compose(
            ruling ->
                ruling.fold(verified -> learn(command, shown, verified), ShadowWrites::refused));
  }

  private Future<ShadowVerdict> learn(WriteCommand command, WriteHeader shown, Verified verified) {
    ClockReading now = parts.clocks().read();
    parts.fence().verified(command.resource(), verified.verification(), verified.askedAt(), now);
    return judge(command, shown, false);
  }

  // ---- the downstream

  private Future<WriteReport> sendOn(WriteCommand command) {
    if (!(command.task() instanceof WriteTask.Operations operations)) {
      throw new IllegalStateException("nothing to send on: " + command.task().wireName());
    }
    if (!parts.inShadow().test(command.resource())) {
      return rejected(command, enforcedNow());
    }
    Optional<Refusal> frozen = parts.freezes().known(command);
    if (frozen.isPresent()) {
      return rejected(command, frozen.get());
    }
    if (!parts.clocks().read().isBefore(command.deadlineNanos())) {
      return rejected(command, WriteService.outOfTime());
    }
    ShadowPermit permit = parts.fence().letThrough(command.resource(), command.token());
    return command
        .adapter()
        .applyUnfenced(
            permit, new FencedWrite(operations.content(), command.claim(), command.deadlineNanos()))
        .otherwise(WriteService::applyDefect)
        .map(outcome -> report(command, permit, outcome));
  }

  private static Refusal enforcedNow() {
    return RefusalCode.HANDOVER.because(
        "the resource is no longer in shadow since this write arrived; nothing was sent");
  }

  private Future<WriteReport> rejected(WriteCommand command, Refusal refusal) {
    return Future.succeededFuture(parts.reports().refused(command, refusal));
  }

  /** A write that may still land goes on holding up the first enforced one. */
  private WriteReport report(WriteCommand command, ShadowPermit permit, ApplyOutcome outcome) {
    Reports reports = parts.reports();
    if (!(outcome instanceof ApplyOutcome.Unknown)) {
      parts.fence().leave(permit);
    }
    return outcome.fold(
        new ApplyOutcome.Cases<>(
            applied -> reports.applied(command, applied.resultsJson()),
            replayed -> reports.replayed(command, replayed.recorded()),
            stale -> reports.refused(command, fencedAfterAll(command)),
            sealFirst -> reports.refused(command, fencedAfterAll(command)),
            rejected -> reports.refused(command, rejected.refusal()),
            unknown -> {
              if (!unknown.writeId().isEmpty()) {
                parts
                    .reconciler()
                    .follow(command, unknown.writeId(), () -> parts.fence().leave(permit));
              }
              return reports.unknown(command, unknown.reason());
            }));
  }

  private static Refusal fencedAfterAll(WriteCommand command) {
    LOG.error("adapter {} compared the token of a write in shadow", command.policy().adapter());
    return RefusalCode.DOWNSTREAM_UNAVAILABLE.because(
        "the adapter compared the token of a write in shadow; nothing was written");
  }

  void forget(ResourceName resource) {
    parts.fence().forget(resource, parts.clocks().read());
  }

  // ---- when the resource is enforced again

  /** Why an enforced write has to wait; empty where nothing was let through that may still land. */
  Optional<Refusal> objectionToEnforced(ResourceName resource) {
    int underWay = parts.fence().underWay(resource);
    return underWay == 0
        ? Optional.empty()
        : Optional.of(
            RefusalCode.HANDOVER.because(
                underWay
                    + " writes that were let through in shadow may still land; the first enforced"
                    + " one has to come after them"));
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.ForwardOutcome;
import io.fencegate.adapter.spi.ForwardPreparation;
import io.fencegate.adapter.spi.PreparedForward;
import io.fencegate.adapter.spi.ProxiedRequest;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards to downstreams that refuse what was prepared for another state than they are in: nobody
 * has to own the resource, and nobody waits for older writes. All rests on the order: the state is
 * looked at, and whatever was confirmed of the token before then is void; so the write enters on a
 * confirmation that was asked for after the look ({@link ForwardPreparation} says why that
 * suffices). Used from one context.
 */
final class PreparedWrites {

  private static final Logger LOG = LoggerFactory.getLogger(PreparedWrites.class);

  private final DrainBarrier barrier;
  private final Clocks clocks;
  private final TokenSources sources;
  private final FreezeGate freezes;
  private final SecondLook secondLook;
  private final KeyedForwards keyed;
  private final Reports reports;
  private final Entrance entrance;

  /** Where writes are let in. */
  @FunctionalInterface
  interface Entrance {
    Future<WriteReport> enter(WriteCommand command, WriteService.Step step, int rounds);
  }

  PreparedWrites(
      WriteService.Parts parts,
      TokenSources sources,
      KeyedForwards keyed,
      Reports reports,
      Entrance entrance) {
    this.barrier = parts.barrier();
    this.clocks = parts.clocks();
    this.sources = sources;
    this.freezes = FreezeGate.of(parts);
    this.secondLook = new SecondLook(parts);
    this.keyed = keyed;
    this.reports = reports;
    this.entrance = entrance;
  }

  Future<WriteReport> carryOut(
      WriteCommand command, ProxiedRequest request, ForwardPreparation preparation) {
    // Nothing at all goes out for what is known to be refused, not even a look.
    Optional<Refusal> stale =
        freezes
            .known(command)
            .or(() -> barrier.staleHere(command.resource(), command.header().token()));
    if (stale.isPresent()) {
      return refused(command, stale.get());
    }
    return preparation
        .prepare(request, command.deadlineNanos())
        .otherwise(PreparedWrites::prepareDefect)
        .compose(
            ruling ->
                ruling.fold(
                    prepared -> prepared(command, request, prepared),
                    refusal -> refused(command, refusal)));
  }

  private static Ruling<PreparedForward> prepareDefect(Throwable defect) {
    LOG.error("an adapter's preparation failed", defect);
    return Ruling.refused(
        RefusalCode.DOWNSTREAM_UNAVAILABLE.because(
            "the adapter met a defect before anything was sent"));
  }

  private Future<WriteReport> prepared(
      WriteCommand command, ProxiedRequest request, PreparedForward prepared) {
    barrier.withdraw(command.resource(), clocks.read());
    return entrance
        .enter(command, step(request, prepared), WriteService.MAX_ROUNDS)
        .onComplete(unused -> prepared.release());
  }

  /** Entering once more confirms anew, which is after the look as well. */
  private WriteService.Step step(ProxiedRequest request, PreparedForward prepared) {
    return (command, permit, rounds) ->
        keyed.carryOut(
            command,
            request,
            new KeyedForwards.Steps(
                read -> send(command, permit, read, prepared),
                outcome ->
                    outcome.fold(
                        answered ->
                            Future.succeededFuture(
                                reports.answered(command, answered.status(), answered.settled())),
                        () -> withheld(command, permit, step(request, prepared), rounds),
                        () -> overtaken(command),
                        refusal -> refused(command, refusal),
                        unknown ->
                            Future.succeededFuture(reports.unknown(command, unknown.reason())))));
  }

  private Future<ForwardOutcome> send(
      WriteCommand command, Permit permit, ProxiedRequest request, PreparedForward prepared) {
    return prepared
        .forward(
            permit,
            request,
            command.deadlineNanos(),
            () -> secondLook.sendUntilNanos(command, permit))
        .otherwise(Sequencer::forwardDefect);
  }

  private Future<WriteReport> withheld(
      WriteCommand command, Permit permit, WriteService.Step step, int rounds) {
    barrier.leave(permit);
    return clocks.read().isBefore(command.deadlineNanos())
        ? entrance.enter(command, step, rounds - 1)
        : refused(command, WriteService.outOfTime());
  }

  /**
   * Somebody has changed the resource since the look, and nothing of this write was applied. What
   * that means for its token only the coordinator can say: a newer holder's write, or one of the
   * same holder through another gateway.
   */
  private Future<WriteReport> overtaken(WriteCommand command) {
    return sources
        .verify(command, command.deadlineNanos())
        .transform(
            answer ->
                refused(
                    command,
                    answer.succeeded()
                        ? answer.result().fold(unused -> changed(), Refusal::nothingDone)
                        : changed()));
  }

  private static Refusal changed() {
    return RefusalCode.DOWNSTREAM_BUSY.because(
        "the resource was changed by another write since its version was read, so nothing of this"
            + " one was applied");
  }

  private Future<WriteReport> refused(WriteCommand command, Refusal refusal) {
    return Future.succeededFuture(reports.refused(command, refusal));
  }
}

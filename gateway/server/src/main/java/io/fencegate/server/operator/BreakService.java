/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.operator;

import io.fencegate.adapter.spi.Seal;
import io.fencegate.adapter.spi.SealOutcome;
import io.fencegate.coordination.epoch.EpochLedger;
import io.fencegate.coordination.operator.Broken;
import io.fencegate.coordination.operator.LockBreaker;
import io.fencegate.coordination.slot.Custody;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.server.policy.MatchedPolicy;
import io.fencegate.server.relay.OwnerCalls;
import io.fencegate.server.relay.OwnerErrand;
import io.fencegate.server.write.Turns;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * Takes a lock from its holder so that none of the holder's writes can land any more: first in the
 * coordinator, where nobody can confirm the token from then on, then on the gateway that carries
 * the resource's writes out, then in the downstream. Harmless to repeat: what an earlier call left
 * undone is done. Used from one context.
 */
final class BreakService {

  private final LockBreaker breaker;
  private final EpochLedger epochs;
  private final DrainBarrier barrier;
  private final OwnerCalls owners;
  private final Custody custody;
  private final Clocks clocks;
  private final Turns turns;

  BreakService(
      LockBreaker breaker,
      EpochLedger epochs,
      DrainBarrier barrier,
      OwnerCalls owners,
      Custody custody,
      Clocks clocks,
      Turns turns) {
    this.breaker = breaker;
    this.epochs = epochs;
    this.barrier = barrier;
    this.owners = owners;
    this.custody = custody;
    this.clocks = clocks;
    this.turns = turns;
  }

  /**
   * What is true when it is granted: nobody holds the lock with {@code only} (or nobody did at
   * all), and the downstream refuses every token below the answered epoch.
   *
   * @param only break only the holder with this token
   */
  Future<Ruling<Broken>> breakLock(
      ResourceName resource,
      MatchedPolicy matched,
      Optional<FencingToken> only,
      long deadlineNanos) {
    return breaker
        .breakLock(resource, only, deadlineNanos)
        .compose(
            ruling ->
                ruling.fold(
                    broken -> fenceWhereItIsServed(resource, matched, broken, deadlineNanos),
                    refusal -> Future.succeededFuture(Ruling.refused(refusal))));
  }

  /**
   * Shuts out what the coordinator has shut out already, as the gateway that carries the resource's
   * writes out.
   *
   * @return empty when no write with a token below the recorded epoch can land any more
   */
  Future<Optional<Refusal>> shutOut(
      ResourceName resource, MatchedPolicy matched, long deadlineNanos) {
    return epochs
        .epoch(resource, deadlineNanos)
        .compose(
            ruling ->
                ruling.fold(
                    epoch ->
                        fence(
                            resource,
                            matched,
                            new Broken(Optional.empty(), epoch, Optional.empty()),
                            deadlineNanos),
                    refusal -> Future.succeededFuture(Ruling.<Broken>refused(refusal))))
        .map(ruling -> ruling.fold(done -> Optional.empty(), Optional::of));
  }

  /** Only the owner knows what is still under way to a downstream that judges nothing. */
  private Future<Ruling<Broken>> fenceWhereItIsServed(
      ResourceName resource, MatchedPolicy matched, Broken broken, long deadlineNanos) {
    if (!matched.adapter().offer().needsOwner() || broken.epoch().isEmpty()) {
      return fence(resource, matched, broken, deadlineNanos);
    }
    return owners
        .locate(resource, deadlineNanos)
        .compose(
            where ->
                where.fold(
                    () -> fence(resource, matched, broken, deadlineNanos),
                    there ->
                        owners
                            .ask(OwnerErrand.SHUT_OUT, resource, there, deadlineNanos)
                            .map(
                                refusal ->
                                    refusal
                                        .map(no -> halfDone(broken, no))
                                        .map(Ruling::<Broken>refused)
                                        .orElseGet(() -> Ruling.granted(broken))),
                    nowhere ->
                        Future.succeededFuture(
                            Ruling.refused(
                                halfDone(
                                    broken, RefusalCode.HANDOVER.because(nowhere.reason()))))));
  }

  private Future<Ruling<Broken>> fence(
      ResourceName resource, MatchedPolicy matched, Broken broken, long deadlineNanos) {
    if (broken.epoch().isEmpty()) {
      return Future.succeededFuture(Ruling.granted(broken));
    }
    FencingToken epoch = broken.epoch().get();
    Permit permit = barrier.shutOut(resource, epoch, clocks.read());
    Seal seal = new Seal(broken.confirmed().orElse(null), deadlineNanos);
    return sealed(matched, permit, seal)
        .onComplete(unused -> barrier.leave(permit))
        .compose(
            outcome ->
                outcome.fold(
                    () -> confirm(resource, broken, epoch, deadlineNanos),
                    higher -> Future.succeededFuture(Ruling.granted(broken)),
                    refusal -> Future.succeededFuture(Ruling.refused(halfDone(broken, refusal)))));
  }

  /** Where the downstream judges no tokens, older writes are shut out once they are settled. */
  private Future<SealOutcome> sealed(MatchedPolicy matched, Permit permit, Seal seal) {
    if (!matched.adapter().offer().needsOwner()) {
      return matched.adapter().seal(permit, seal);
    }
    return custody
        .take(
            permit.resource(),
            permit.token(),
            matched.policy().onUnresolved(),
            seal.deadlineNanos())
        .compose(
            ruling ->
                ruling.fold(
                    taken -> turns.await(permit, seal.deadlineNanos()),
                    refusal -> Future.succeededFuture(Ruling.<Permit>refused(refusal))))
        .map(
            turn ->
                turn.fold(
                    unused ->
                        custody.holds(permit, clocks.read())
                            ? new SealOutcome.Sealed()
                            : new SealOutcome.Failed(
                                RefusalCode.HANDOVER.because(
                                    "the resource went to another gateway meanwhile")),
                    SealOutcome.Failed::new));
  }

  /** Without the record the next holder's first write seals again, no more. */
  private Future<Ruling<Broken>> confirm(
      ResourceName resource, Broken broken, FencingToken epoch, long deadlineNanos) {
    return epochs
        .confirm(resource, epoch, broken.confirmed().orElse(null), deadlineNanos)
        .transform(unused -> Future.succeededFuture(Ruling.granted(broken)));
  }

  private static Refusal halfDone(Broken broken, Refusal refusal) {
    String done =
        broken.token().map(token -> "the lock of token " + token + " is broken").orElse("");
    return refusal
        .code()
        .because(
            done
                + (done.isEmpty() ? "" : ", but ")
                + "the downstream has not confirmed that it refuses older writes ("
                + refusal.detail()
                + "); repeat this call"
                + broken.token().map(token -> " with fencingToken " + token).orElse(""))
        .inDoubt();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.coordination.agreement.PolicyRegister;
import io.fencegate.coordination.freeze.FreezeBoard;
import io.fencegate.policy.agreement.PolicyTerms;
import io.fencegate.policy.freeze.Freeze;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.ClockReading;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * Whether a write is one that all gateways go on with: no operator has stopped it, and its policy
 * is the one that they share. Asked where a write enters, and once more right before its first
 * byte; what has sent that goes on to its end.
 */
final class FreezeGate {

  private final FreezeBoard board;
  private final PolicyRegister policies;

  static FreezeGate of(WriteService.Parts parts) {
    return new FreezeGate(parts.freezes(), parts.agreedPolicies());
  }

  private FreezeGate(FreezeBoard board, PolicyRegister policies) {
    this.board = board;
    this.policies = policies;
  }

  /** Reads the freezes anew. */
  Future<Void> refresh() {
    return board.refresh();
  }

  /** Whether what was read is recent, and tells how the write's policy stands. */
  boolean isFresh(WriteCommand command, ClockReading now) {
    return board.isFresh(now) && !policies.isUnrecorded(command.matched().terms());
  }

  /** Why a write may not be sent at that time; empty where nothing stops it. */
  Optional<Refusal> objection(WriteCommand command, ClockReading now) {
    return board.isFresh(now)
        ? known(command).or(() -> policies.objection(command.matched().terms()))
        : Optional.of(unread());
  }

  boolean admits(WriteCommand command, ClockReading now) {
    return objection(command, now).isEmpty();
  }

  /** What is known to stop a write, by what was read last, however long ago. */
  Optional<Refusal> known(WriteCommand command) {
    PolicyTerms terms = command.matched().terms();
    return board
        .last()
        .of(command.resource(), command.policy().name())
        .map(Freeze::refusal)
        .or(() -> policies.isDifferent(terms) ? policies.objection(terms) : Optional.empty());
  }

  /** What is answered while {@link #isFresh} says no. */
  Refusal notFresh(WriteCommand command, ClockReading now) {
    return board.isFresh(now)
        ? policies.objection(command.matched().terms()).orElseGet(this::unread)
        : unread();
  }

  private Refusal unread() {
    return RefusalCode.COORDINATOR_UNAVAILABLE.because(
        "whether an operator has frozen writes was not read lately: " + board.trouble());
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.coordination.freeze.FreezeBoard;
import io.fencegate.policy.freeze.Freeze;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.ClockReading;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * Whether an operator has stopped a write. Asked where a write enters, and once more right before
 * its first byte; what has sent that goes on to its end.
 */
final class FreezeGate {

  private final FreezeBoard board;

  FreezeGate(FreezeBoard board) {
    this.board = board;
  }

  /** Reads the freezes anew. */
  Future<Void> refresh() {
    return board.refresh();
  }

  boolean isFresh(ClockReading now) {
    return board.isFresh(now);
  }

  /** Why a write may not be sent at that time; empty where nothing stops it. */
  Optional<Refusal> objection(WriteCommand command, ClockReading now) {
    return board.isFresh(now) ? known(command) : Optional.of(unread());
  }

  boolean admits(WriteCommand command, ClockReading now) {
    return objection(command, now).isEmpty();
  }

  /** The freeze that stops a write, by what was read last, however long ago. */
  Optional<Refusal> known(WriteCommand command) {
    return board.last().of(command.resource(), command.policy().name()).map(Freeze::refusal);
  }

  /** What is answered while it is not known what is frozen. */
  Refusal unread() {
    return RefusalCode.COORDINATOR_UNAVAILABLE.because(
        "whether an operator has frozen writes was not read lately: " + board.trouble());
  }
}

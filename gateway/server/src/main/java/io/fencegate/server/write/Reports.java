/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.WriteOutcome;
import io.fencegate.policy.token.FencingToken;

/** From what happened to what is reported, with the epoch as it is known then. */
final class Reports {

  private final DrainBarrier barrier;

  Reports(DrainBarrier barrier) {
    this.barrier = barrier;
  }

  WriteReport applied(WriteCommand command, String resultsJson) {
    return of(command, new WriteOutcome.Applied(resultsJson, false));
  }

  /** What the downstream itself answered, which its caller has already. */
  WriteReport answered(WriteCommand command, int status, boolean settled) {
    return of(command, new WriteOutcome.Answered(status, settled));
  }

  /** The stored result, under the token that it was applied with. */
  WriteReport replayed(WriteCommand command, RecordedWrite.Applied record) {
    return new WriteReport(
        new WriteOutcome.Applied(record.resultsJson(), true),
        record.token(),
        barrier.view(command.resource()).epoch());
  }

  /** The downstream's own first answer, under the token that it was sent with. */
  WriteReport replayed(WriteCommand command, RecordedWrite.Answered record) {
    return new WriteReport(
        new WriteOutcome.Answered(record.status(), true),
        record.token(),
        barrier.view(command.resource()).epoch(),
        null,
        record);
  }

  /** A no; in doubt where an earlier request with the same key may still be applied. */
  WriteReport refused(WriteCommand command, Refusal refusal) {
    FencingToken known = barrier.view(command.resource()).epoch();
    return new WriteReport(
        WriteReport.outcome(refusal),
        command.token(),
        refusal.epoch() == null ? known : refusal.epoch());
  }

  /** The caller is told how to find out. */
  WriteReport unknown(WriteCommand command, String reason) {
    String howToFindOut =
        command.claim() == null
            ? "; without an Idempotency-Key only the downstream itself can tell"
            : "; ask GET /v1/writes/" + command.resource() + "?key=<Idempotency-Key>";
    return of(
        command,
        new WriteOutcome.Unknown(RefusalCode.OUTCOME_UNKNOWN.because(reason + howToFindOut)));
  }

  /** The gateway does not know what it did: nothing is claimed. */
  WriteReport defective(WriteCommand command) {
    return of(
        command,
        new WriteOutcome.Unknown(RefusalCode.INTERNAL_ERROR.because("see the gateway's log")));
  }

  private WriteReport of(WriteCommand command, WriteOutcome outcome) {
    return new WriteReport(outcome, command.token(), barrier.view(command.resource()).epoch());
  }
}

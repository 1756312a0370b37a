/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.KeyScope;
import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * Whether a key's outcome is known already. Comes before everything else: a key that was applied is
 * answered with its first result, even if its token is stale by now. Where that cannot be found
 * out, an earlier request with the key may have been applied: in doubt.
 */
final class KeyLookUp {

  private final Reports reports;
  private final KeyRecords keyRecords;

  KeyLookUp(Reports reports, KeyRecords keyRecords) {
    this.reports = reports;
    this.keyRecords = keyRecords;
  }

  /** The report where anything is known of the key's write; empty for a fresh key. */
  Future<Optional<WriteReport>> find(WriteCommand command) {
    var claim = command.claim();
    var records = keyRecords.of(command.adapter());
    if (claim == null || records.isEmpty()) {
      return Future.succeededFuture(Optional.empty());
    }
    return records
        .get()
        .lookUp(claim.scope(), command.deadlineNanos())
        .map(
            found ->
                found.fold(
                    record -> report(command, claim.fingerprint(), record),
                    refusal -> Optional.of(reports.refused(command, refusal.inDoubt()))));
  }

  /** Whether nothing is recorded under the key; false too where that cannot be found out. */
  Future<Boolean> isFresh(WriteCommand command, KeyScope scope) {
    return keyRecords
        .of(command.adapter())
        .map(
            records ->
                records
                    .lookUp(scope, command.deadlineNanos())
                    .map(
                        ruling ->
                            ruling.fold(
                                record -> record instanceof RecordedWrite.None, refusal -> false)))
        .orElseGet(() -> Future.succeededFuture(true));
  }

  /** What a record says to a request with this fingerprint; empty for none. */
  Optional<WriteReport> report(WriteCommand command, String fingerprint, RecordedWrite record) {
    if (record instanceof RecordedWrite.Applied applied) {
      return Optional.of(
          applied.fingerprint().equals(fingerprint)
              ? reports.replayed(command, applied)
              : otherRequest(command));
    }
    if (record instanceof RecordedWrite.Answered answered) {
      return Optional.of(
          answered.fingerprint().equals(fingerprint)
              ? reports.replayed(command, answered)
              : otherRequest(command));
    }
    if (record instanceof RecordedWrite.Unknown unknown) {
      return Optional.of(
          unknown.fingerprint().equals(fingerprint)
              ? reports.refused(command, neverAgain(unknown.reason()))
              : otherRequest(command));
    }
    if (record instanceof RecordedWrite.InFlight) {
      return Optional.of(
          reports.refused(
              command,
              RefusalCode.IN_FLIGHT.because("a write with this Idempotency-Key is under way")));
    }
    return record instanceof RecordedWrite.Closed
        ? Optional.of(
            reports.refused(command, reused("was closed: no write with it will be applied")))
        : Optional.empty();
  }

  private WriteReport otherRequest(WriteCommand command) {
    return reports.refused(command, reused("came before with another request"));
  }

  private static Refusal neverAgain(String reason) {
    return RefusalCode.OUTCOME_UNKNOWN.because(
        "what came of the first request with this Idempotency-Key is not known ("
            + reason
            + "), so it is never sent again; only the downstream itself can tell");
  }

  private static Refusal reused(String what) {
    return RefusalCode.IDEMPOTENCY_KEY_REUSED
        .because("this Idempotency-Key " + what)
        .atField("Idempotency-Key");
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

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

  KeyLookUp(Reports reports) {
    this.reports = reports;
  }

  /** The report where the key was applied, is closed or is under way; empty for a fresh one. */
  Future<Optional<WriteReport>> find(WriteCommand command) {
    var claim = command.claim();
    var records = command.adapter().records();
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

  private Optional<WriteReport> report(
      WriteCommand command, String fingerprint, RecordedWrite record) {
    if (record instanceof RecordedWrite.Applied applied) {
      return Optional.of(
          applied.fingerprint().equals(fingerprint)
              ? reports.replayed(command, applied)
              : reports.refused(command, reused("came before with another request")));
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

  private static Refusal reused(String what) {
    return RefusalCode.IDEMPOTENCY_KEY_REUSED
        .because("this Idempotency-Key " + what)
        .atField("Idempotency-Key");
  }
}

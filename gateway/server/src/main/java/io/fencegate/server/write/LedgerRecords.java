/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.KeyScope;
import io.fencegate.adapter.spi.OutcomeRecords;
import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.coordination.idempotency.IdempotencyLedger;
import io.fencegate.coordination.idempotency.KeyName;
import io.fencegate.coordination.key.IdempotencyRecord;
import io.fencegate.coordination.key.KeyOutcome;
import io.fencegate.coordination.key.RecordedAnswer;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** The coordinator's ledger as an adapter's own records would look. */
final class LedgerRecords implements OutcomeRecords {

  private final IdempotencyLedger ledger;

  LedgerRecords(IdempotencyLedger ledger) {
    this.ledger = ledger;
  }

  @Override
  public Future<Ruling<RecordedWrite>> lookUp(KeyScope scope, long deadlineNanos) {
    return ledger
        .lookUp(name(scope), deadlineNanos)
        .map(
            ruling ->
                ruling.map(
                    found ->
                        found
                            .<RecordedWrite>map(LedgerRecords::recorded)
                            .orElseGet(RecordedWrite.None::new)));
  }

  @Override
  public Future<Ruling<RecordedWrite>> close(
      KeyScope scope, Duration retention, long deadlineNanos) {
    return ledger
        .close(name(scope), TtlClass.atLeast(retention), deadlineNanos)
        .map(ruling -> ruling.map(LedgerRecords::recorded));
  }

  static KeyName name(KeyScope scope) {
    return new KeyName(scope.resource(), scope.caller(), scope.key());
  }

  static RecordedWrite recorded(IdempotencyRecord record) {
    Instant at = Instant.ofEpochMilli(record.atMillis());
    FencingToken token = record.token();
    KeyOutcome outcome = record.outcome();
    if (outcome instanceof KeyOutcome.Answered answered && token != null) {
      return answered(record, token, answered.answer(), at);
    }
    if (outcome instanceof KeyOutcome.Unknown unknown) {
      return new RecordedWrite.Unknown(token, record.fingerprint().hex(), unknown.reason(), at);
    }
    return outcome instanceof KeyOutcome.Closed
        ? new RecordedWrite.Closed(at)
        : new RecordedWrite.InFlight();
  }

  private static RecordedWrite answered(
      IdempotencyRecord record, FencingToken token, RecordedAnswer answer, Instant at) {
    List<Map.Entry<String, String>> headers =
        answer.headers().stream().map(header -> Map.entry(header.name(), header.value())).toList();
    return new RecordedWrite.Answered(
        token,
        record.fingerprint().hex(),
        answer.status(),
        headers,
        answer.body().map(body -> Buffer.buffer(body.toBytes())),
        at);
  }
}

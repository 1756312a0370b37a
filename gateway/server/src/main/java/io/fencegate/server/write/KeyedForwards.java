/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.ForwardOutcome;
import io.fencegate.adapter.spi.KeyClaim;
import io.fencegate.adapter.spi.ProxiedRequest;
import io.fencegate.coordination.idempotency.Begun;
import io.fencegate.coordination.idempotency.Claim;
import io.fencegate.coordination.idempotency.IdempotencyLedger;
import io.fencegate.coordination.idempotency.Intent;
import io.fencegate.coordination.key.IdempotencyRecord;
import io.fencegate.coordination.key.KeyOutcome;
import io.fencegate.coordination.key.RequestFingerprint;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.server.clock.InTime;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.function.Function;

/**
 * Forwards under an Idempotency-Key whose outcome the coordinator keeps: the intent is recorded
 * before anything is sent, and the outcome before the caller has the whole answer. Used from one
 * context.
 *
 * <p>What could not be recorded in time is recorded later; until then repeats are told that the
 * first one is in flight.
 */
final class KeyedForwards {

  /** What recording may add to an answer: longer than a coordinator's election usually takes. */
  private static final Duration RECORD_PATIENCE = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final IdempotencyLedger ledger;
  private final KeyLookUp lookUp;
  private final Reports reports;

  KeyedForwards(Vertx vertx, IdempotencyLedger ledger, KeyLookUp lookUp, Reports reports) {
    this.vertx = vertx;
    this.ledger = ledger;
    this.lookUp = lookUp;
    this.reports = reports;
  }

  /** What the caller of this does with a request, and with what came of it. */
  record Steps(
      Function<ProxiedRequest, Future<ForwardOutcome>> send,
      Function<ForwardOutcome, Future<WriteReport>> conclude) {}

  /** Sends the request, once and only if its key, where it has one, is its own. */
  Future<WriteReport> carryOut(WriteCommand command, ProxiedRequest request, Steps steps) {
    KeyClaim claim = command.claim();
    if (claim == null || !KeyRecords.isLedgered(command.adapter())) {
      return steps.send().apply(request).compose(steps.conclude());
    }
    return ledger
        .begin(claim(command, claim), command.deadlineNanos())
        .compose(begun -> begun(command, claim, begun, intent -> keyed(intent, request, steps)));
  }

  private static Claim claim(WriteCommand command, KeyClaim claim) {
    return new Claim(
        LedgerRecords.name(claim.scope()),
        new RequestFingerprint(claim.fingerprint()),
        command.header().token(),
        TtlClass.atLeast(claim.retention()));
  }

  private Future<WriteReport> begun(
      WriteCommand command,
      KeyClaim claim,
      Begun begun,
      Function<Intent, Future<WriteReport>> mine) {
    return begun.fold(
        mine,
        record -> Future.succeededFuture(taken(command, claim, record)),
        refusal -> Future.succeededFuture(reports.refused(command, refusal.inDoubt())));
  }

  /** Another request with the key has overtaken this one since it was looked up. */
  private WriteReport taken(WriteCommand command, KeyClaim claim, IdempotencyRecord record) {
    return lookUp
        .report(command, claim.fingerprint(), LedgerRecords.recorded(record))
        .orElseGet(() -> reports.defective(command));
  }

  private Future<WriteReport> keyed(Intent intent, ProxiedRequest request, Steps steps) {
    HeldAnswer answer = new HeldAnswer(request.caller());
    ProxiedRequest observed =
        new ProxiedRequest(
            request.method(), request.target(), request.headers(), request.body(), answer);
    return steps
        .send()
        .apply(observed)
        .compose(
            outcome ->
                InTime.of(vertx, record(intent, outcome, answer), RECORD_PATIENCE)
                    .transform(
                        recorded -> {
                          answer.release();
                          return steps.conclude().apply(outcome);
                        }));
  }

  private Future<Void> record(Intent intent, ForwardOutcome outcome, HeldAnswer answer) {
    return outcome.fold(
        answered -> ledger.settle(intent, answered(answered, answer)),
        () -> ledger.abandon(intent),
        () -> ledger.abandon(intent),
        refusal -> ledger.abandon(intent),
        unknown -> ledger.settle(intent, new KeyOutcome.Unknown(unknown.reason())));
  }

  private static KeyOutcome answered(ForwardOutcome.Answered answered, HeldAnswer answer) {
    return answer
        .recorded()
        .filter(it -> answered.settled())
        .<KeyOutcome>map(KeyOutcome.Answered::new)
        .orElseGet(
            () ->
                new KeyOutcome.Unknown(
                    "the downstream answered "
                        + answered.status()
                        + (answered.settled() ? "" : ", after which it may still be at work")));
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.memory;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.FencedWrite;
import io.fencegate.adapter.spi.KeyClaim;
import io.fencegate.adapter.spi.KeyScope;
import io.fencegate.adapter.spi.Offer;
import io.fencegate.adapter.spi.OperationCall;
import io.fencegate.adapter.spi.OutcomeRecords;
import io.fencegate.adapter.spi.ReconcileOutcome;
import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.adapter.spi.Seal;
import io.fencegate.adapter.spi.SealOutcome;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.fence.ShadowPermit;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The executable meaning of the SPI. Every call is one step without I/O, so nothing is ever open,
 * late or unknown; what remains are the rules themselves, in the order in which every adapter
 * applies them:
 *
 * <ol>
 *   <li>what is recorded for the key answers first, even if the token is stale by now;
 *   <li>nothing is begun past the deadline;
 *   <li>the epoch is compared; only an equal token goes on;
 *   <li>the write and its record happen together or not at all.
 * </ol>
 *
 * <p>Used from one context only.
 */
final class MemoryAdapter implements ResourceAdapter, OutcomeRecords {

  private final MemoryDownstream downstream;
  private final Clocks clocks;

  MemoryAdapter(MemoryDownstream downstream, Clocks clocks) {
    this.downstream = downstream;
    this.clocks = clocks;
  }

  @Override
  public Offer offer() {
    return MemoryAdapterFactory.OFFER;
  }

  @Override
  public Optional<Refusal> objection(WriteContent content) {
    return ParamCheck.objection(content);
  }

  @Override
  public Future<SealOutcome> seal(Permit permit, Seal seal) {
    return Future.succeededFuture(raise(permit, seal.floor()));
  }

  private SealOutcome raise(Permit permit, @Nullable FencingToken floor) {
    FencingToken epoch = downstream.epoch(permit.resource());
    if (floor != null && (epoch == null || epoch.isBelow(floor))) {
      return new SealOutcome.Failed(wentBackwards(epoch, floor));
    }
    if (epoch != null && permit.token().isBelow(epoch)) {
      return new SealOutcome.Stale(epoch);
    }
    downstream.raise(permit.resource(), permit.token());
    return new SealOutcome.Sealed();
  }

  private static Refusal wentBackwards(@Nullable FencingToken epoch, FencingToken floor) {
    return RefusalCode.EPOCH_WENT_BACKWARDS.because(
        "the downstream's epoch is "
            + (epoch == null ? "0" : epoch)
            + ", expected at least "
            + floor
            + " which it had confirmed");
  }

  @Override
  public Future<ApplyOutcome> apply(Permit permit, FencedWrite write) {
    return Future.succeededFuture(decide(permit, write));
  }

  @Override
  public Future<ApplyOutcome> applyUnfenced(ShadowPermit permit, FencedWrite write) {
    return Future.succeededFuture(
        known(write)
            .or(() -> unlessLate(write))
            .orElseGet(() -> carryOut(new Target(permit.resource(), permit.token()), write)));
  }

  /** Where a write goes, and what its record says of its token. */
  private record Target(ResourceName resource, @Nullable FencingToken token) {}

  private ApplyOutcome decide(Permit permit, FencedWrite write) {
    return known(write)
        .or(() -> unlessLate(write))
        .or(() -> unlessCurrent(permit))
        .orElseGet(() -> carryOut(new Target(permit.resource(), permit.token()), write));
  }

  private Optional<ApplyOutcome> unlessLate(FencedWrite write) {
    return clocks.read().isBefore(write.deadlineNanos())
        ? Optional.empty()
        : Optional.of(
            new ApplyOutcome.Rejected(
                RefusalCode.DOWNSTREAM_BUSY.because(
                    "the write's time was up before it began; nothing was done")));
  }

  private Optional<ApplyOutcome> known(FencedWrite write) {
    KeyClaim claim = write.claim();
    return claim == null ? Optional.empty() : recorded(claim);
  }

  private ApplyOutcome carryOut(Target target, FencedWrite write) {
    return objection(write.content())
        .or(() -> tooFewRows(write.content()))
        .<ApplyOutcome>map(ApplyOutcome.Rejected::new)
        .orElseGet(() -> append(target, write));
  }

  private Optional<ApplyOutcome> recorded(KeyClaim claim) {
    RecordedWrite found = downstream.record(claim.scope());
    if (found instanceof RecordedWrite.Applied applied) {
      return Optional.of(
          applied.fingerprint().equals(claim.fingerprint())
              ? new ApplyOutcome.Replayed(applied)
              : new ApplyOutcome.Rejected(reused("came with another request before")));
    }
    return found instanceof RecordedWrite.Closed
        ? Optional.of(new ApplyOutcome.Rejected(reused("was closed before any write with it")))
        : Optional.empty();
  }

  private static Refusal reused(String what) {
    return RefusalCode.IDEMPOTENCY_KEY_REUSED.because(
        "this Idempotency-Key " + what + ", expected a fresh one");
  }

  private Optional<ApplyOutcome> unlessCurrent(Permit permit) {
    FencingToken epoch = downstream.epoch(permit.resource());
    if (epoch == null || epoch.isBelow(permit.token())) {
      return Optional.of(new ApplyOutcome.SealFirst());
    }
    return epoch.isAbove(permit.token())
        ? Optional.of(new ApplyOutcome.Stale(epoch))
        : Optional.empty();
  }

  /** A call touches one row, so a demand for more undoes the whole write. */
  private static Optional<Refusal> tooFewRows(WriteContent content) {
    return content.calls().stream()
        .map(OperationCall::operation)
        .filter(operation -> operation.minRows() > 1)
        .findFirst()
        .map(
            operation ->
                RefusalCode.OPERATION_FAILED.because(
                    operation.name() + " touched 1 row, expected at least " + operation.minRows()));
  }

  private ApplyOutcome append(Target target, FencedWrite write) {
    List<OperationCall> calls = write.content().calls();
    calls.forEach(
        call ->
            downstream.append(new MemoryDownstream.Entry(target.resource(), target.token(), call)));
    String results = ResultText.of(calls);
    KeyClaim claim = write.claim();
    if (claim != null) {
      downstream.keep(
          claim.scope(),
          new RecordedWrite.Applied(target.token(), claim.fingerprint(), results, wallTime()));
    }
    return new ApplyOutcome.Applied(results);
  }

  private Instant wallTime() {
    ClockReading now = clocks.read();
    return Instant.ofEpochMilli(now.wallMillis());
  }

  @Override
  public Future<Optional<Refusal>> resetEpoch(ResourceName resource, long deadlineNanos) {
    downstream.forgetEpoch(resource);
    return Future.succeededFuture(Optional.empty());
  }

  /** Nothing is ever answered unknown, so an id that is asked for was never given out. */
  @Override
  public Future<ReconcileOutcome> reconcile(String writeId, long deadlineNanos) {
    return Future.succeededFuture(new ReconcileOutcome.NeverApplied());
  }

  @Override
  public Optional<OutcomeRecords> records() {
    return Optional.of(this);
  }

  @Override
  public Future<Ruling<RecordedWrite>> lookUp(KeyScope scope, long deadlineNanos) {
    return Future.succeededFuture(Ruling.granted(downstream.record(scope)));
  }

  @Override
  public Future<Ruling<RecordedWrite>> close(
      KeyScope scope, Duration retention, long deadlineNanos) {
    if (downstream.record(scope) instanceof RecordedWrite.None) {
      downstream.keep(scope, new RecordedWrite.Closed(wallTime()));
    }
    return lookUp(scope, deadlineNanos);
  }

  @Override
  public Future<Optional<String>> unreachable() {
    return Future.succeededFuture(Optional.empty());
  }

  @Override
  public Future<Void> close() {
    return Future.succeededFuture();
  }
}

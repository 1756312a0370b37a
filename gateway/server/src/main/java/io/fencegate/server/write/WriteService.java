/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.FencedWrite;
import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.adapter.spi.Seal;
import io.fencegate.adapter.spi.SealOutcome;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.epoch.EpochLedger;
import io.fencegate.coordination.epoch.Verified;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.fence.Entry;
import io.fencegate.policy.fence.FencingRules;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.WriteOutcome;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The path of a write: limit, look-up by key, enter the barrier (which is the decision; verifying
 * with the coordinator first where local knowledge does not suffice), seal the term in the
 * downstream on its first write, second compare, apply.
 *
 * <p>The downstream itself judges every token, so a newer token's write need not wait for older
 * ones here: once its seal is answered, none of them can land any more.
 *
 * <p>Futures never fail. Used from one context.
 */
public final class WriteService {

  /** Times that a write may start over because something moved under it. */
  private static final int MAX_ROUNDS = 5;

  /** How long a write waits for one heartbeat when the last proof of life is too old. */
  private static final Duration HEARTBEAT_WAIT = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(WriteService.class);

  private final DrainBarrier barrier;
  private final EpochLedger epochs;
  private final GatewaySession session;
  private final Clocks clocks;
  private final WriteObserver observer;
  private final Reconciler reconciler;
  private final AdmissionLimiter limiter = new AdmissionLimiter();
  private final ConfirmedEpochs confirmed = new ConfirmedEpochs();

  /** What the service works with. */
  public record Parts(
      Vertx vertx,
      DrainBarrier barrier,
      EpochLedger epochs,
      GatewaySession session,
      Clocks clocks,
      WriteObserver observer) {}

  public WriteService(Parts parts) {
    this.barrier = parts.barrier();
    this.epochs = parts.epochs();
    this.session = parts.session();
    this.clocks = parts.clocks();
    this.observer = parts.observer();
    this.reconciler = new Reconciler(parts.vertx(), parts.clocks(), parts.observer());
  }

  /** Carries out a write at most once. */
  public Future<WriteReport> submit(WriteCommand command) {
    return observed(
        command,
        () ->
            lookUp(command)
                .compose(
                    known ->
                        known
                            .map(Future::succeededFuture)
                            .orElseGet(() -> enter(command, this::sealThenApply, MAX_ROUNDS))));
  }

  /**
   * Raises the downstream's epoch to the caller's token and writes nothing; when it answers
   * applied, no older write can land any more.
   */
  public Future<WriteReport> seal(WriteCommand command) {
    return observed(command, () -> enter(command, this::sealOnly, MAX_ROUNDS));
  }

  /** What is left to do with a permit, and how often it may start over. */
  @FunctionalInterface
  private interface Step {
    Future<WriteReport> run(WriteCommand command, Permit permit, int rounds);
  }

  private Future<WriteReport> observed(WriteCommand command, Supplier<Future<WriteReport>> work) {
    long startNanos = clocks.read().monotonicNanos();
    return limiter
        .within(
            command.resource(),
            command.policy().limits().maxInFlight(),
            work,
            refusal -> rejected(command, refusal))
        .recover(defect -> Future.succeededFuture(defective(command, defect)))
        .onSuccess(
            report ->
                observer.completed(command, report, clocks.read().monotonicNanos() - startNanos));
  }

  // ---- by key

  /** The report where the key's outcome is known already or its write is open. */
  private Future<Optional<WriteReport>> lookUp(WriteCommand command) {
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
                    record -> recorded(command, claim.fingerprint(), record),
                    refusal -> Optional.of(rejected(command, refusal))));
  }

  private Optional<WriteReport> recorded(
      WriteCommand command, String fingerprint, RecordedWrite record) {
    if (record instanceof RecordedWrite.Applied applied) {
      return Optional.of(
          applied.fingerprint().equals(fingerprint)
              ? replayed(command, applied)
              : rejected(command, keyReused("came before with another request")));
    }
    if (record instanceof RecordedWrite.InFlight) {
      return Optional.of(
          rejected(
              command,
              RefusalCode.IN_FLIGHT.because("a write with this Idempotency-Key is under way")));
    }
    return record instanceof RecordedWrite.Closed
        ? Optional.of(rejected(command, keyReused("was closed: no write with it will be applied")))
        : Optional.empty();
  }

  private static Refusal keyReused(String what) {
    return RefusalCode.IDEMPOTENCY_KEY_REUSED
        .because("this Idempotency-Key " + what)
        .atField("Idempotency-Key");
  }

  private WriteReport replayed(WriteCommand command, RecordedWrite.Applied record) {
    return new WriteReport(
        new WriteOutcome.Applied(record.resultsJson(), true),
        record.token(),
        barrier.view(command.resource()).epoch());
  }

  // ---- the decision

  private Future<WriteReport> enter(WriteCommand command, Step step, int rounds) {
    if (rounds == 0) {
      return rejection(
          command, RefusalCode.COORDINATOR_UNAVAILABLE.because("the lock keeps changing"));
    }
    return fresh()
        .compose(
            fresh ->
                fresh
                    ? enterFresh(command, step, rounds)
                    : rejection(
                        command,
                        RefusalCode.COORDINATOR_UNAVAILABLE.because(
                            "the coordinator has not confirmed this gateway recently")));
  }

  /**
   * Whether this gateway's life was confirmed recently; waits for one heartbeat where it was not.
   */
  private Future<Boolean> fresh() {
    if (session.isFresh(clocks.read())) {
      return Future.succeededFuture(true);
    }
    return session
        .refresh()
        .timeout(HEARTBEAT_WAIT.toMillis(), TimeUnit.MILLISECONDS)
        .transform(unused -> Future.succeededFuture(session.isFresh(clocks.read())));
  }

  private Future<WriteReport> enterFresh(WriteCommand command, Step step, int rounds) {
    return tryEnter(command)
        .fold(
            permit -> step.run(command, permit, rounds).onComplete(unused -> barrier.leave(permit)),
            () -> verifyThenEnter(command, step, rounds),
            refusal -> rejection(command, refusal));
  }

  private Entry tryEnter(WriteCommand command) {
    return confirmed.isKnown(command.resource())
        ? barrier.enter(
            command.resource(), command.header(), command.leaseRequired(), clocks.read())
        : new Entry.VerifyFirst();
  }

  private Future<WriteReport> verifyThenEnter(WriteCommand command, Step step, int rounds) {
    ResourceName resource = command.resource();
    return epochs
        .verifyAndRaise(
            resource,
            command.header(),
            command.leaseRequired(),
            barrier.view(resource).epoch(),
            command.deadlineNanos())
        .compose(
            ruling ->
                ruling.fold(
                    verified -> {
                      learn(resource, verified);
                      return enter(command, step, rounds - 1);
                    },
                    refusal -> {
                      learn(resource, refusal);
                      return rejection(command, refusal);
                    }));
  }

  private void learn(ResourceName resource, Verified verified) {
    barrier.verified(resource, verified.verification(), verified.askedAt(), clocks.read());
    confirmed.learn(resource, Optional.ofNullable(verified.confirmed()));
  }

  private void learn(ResourceName resource, Refusal refusal) {
    if (refusal.epoch() != null) {
      barrier.raised(resource, refusal.epoch());
    }
  }

  // ---- the downstream

  private Future<WriteReport> sealOnly(WriteCommand command, Permit permit, int rounds) {
    return sealDownstream(
        command, permit, () -> report(command, new WriteOutcome.Applied("[]", false)));
  }

  private Future<WriteReport> sealThenApply(WriteCommand command, Permit permit, int rounds) {
    boolean sealed = confirmed.of(command.resource()).filter(permit.token()::equals).isPresent();
    return sealed
        ? secondCompare(command, permit, rounds, () -> sealAndRepeat(command, permit, rounds))
        : sealAndRepeat(command, permit, rounds);
  }

  private Future<WriteReport> sealAndRepeat(WriteCommand command, Permit permit, int rounds) {
    return sealDownstream(
        command,
        permit,
        () ->
            secondCompare(
                command,
                permit,
                rounds,
                () ->
                    rejection(
                        command,
                        RefusalCode.DOWNSTREAM_BUSY.because(
                            "the downstream's epoch changed right after it was raised"))));
  }

  private Future<WriteReport> sealDownstream(
      WriteCommand command, Permit permit, Supplier<Future<WriteReport>> sealed) {
    ResourceName resource = command.resource();
    FencingToken floor = confirmed.of(resource).orElse(null);
    return command
        .adapter()
        .seal(permit, new Seal(floor, command.deadlineNanos()))
        .otherwise(WriteService::sealDefect)
        .compose(
            outcome ->
                outcome.fold(
                    () -> witness(command, permit.token(), floor).compose(unused -> sealed.get()),
                    epoch -> stale(command, epoch),
                    refusal -> rejection(command, refusal)));
  }

  private static SealOutcome sealDefect(Throwable defect) {
    LOG.error("an adapter's seal failed", defect);
    return new SealOutcome.Failed(
        RefusalCode.DOWNSTREAM_UNAVAILABLE.because("the adapter met a defect while sealing"));
  }

  /** Records the downstream's word; without the record the next write seals again. */
  private Future<Void> witness(
      WriteCommand command, FencingToken token, @Nullable FencingToken floor) {
    ResourceName resource = command.resource();
    if (token.equals(floor)) {
      return Future.succeededFuture();
    }
    return epochs
        .confirm(resource, token, floor, command.deadlineNanos())
        .transform(
            answer -> {
              boolean recorded =
                  answer.succeeded() && answer.result().fold(unused -> true, refusal -> false);
              if (recorded) {
                confirmed.learn(resource, Optional.of(answer.result().fold(t -> t, r -> token)));
              } else {
                LOG.warn("the downstream's epoch of {} was not recorded", resource);
              }
              return Future.succeededFuture();
            });
  }

  /** Everything that entering compared, once more, before the first byte goes out. */
  private Future<WriteReport> secondCompare(
      WriteCommand command, Permit permit, int rounds, Supplier<Future<WriteReport>> sealFirst) {
    ClockReading now = clocks.read();
    if (!session.isFresh(now)) {
      barrier.leave(permit);
      return enter(command, this::sealThenApply, rounds - 1);
    }
    return barrier
        .confirm(permit, now)
        .fold(
            confirmedPermit -> apply(command, confirmedPermit, sealFirst),
            () -> enter(command, this::sealThenApply, rounds - 1),
            refusal -> rejection(command, refusal));
  }

  private Future<WriteReport> apply(
      WriteCommand command, Permit permit, Supplier<Future<WriteReport>> sealFirst) {
    WriteContent content = command.content();
    if (content == null) {
      throw new IllegalStateException("only a seal has no content");
    }
    FencedWrite write = new FencedWrite(content, command.claim(), command.deadlineNanos());
    Function<ApplyOutcome, Future<WriteReport>> answer =
        outcome -> outcome.fold(new Answers(command, sealFirst).cases());
    return command
        .adapter()
        .apply(permit, write)
        .otherwise(WriteService::applyDefect)
        .compose(answer);
  }

  private static ApplyOutcome applyDefect(Throwable defect) {
    LOG.error("an adapter's apply failed", defect);
    return new ApplyOutcome.Unknown("the adapter met a defect", "");
  }

  /** From the adapter's words to the report. */
  private final class Answers {
    private final WriteCommand command;
    private final Supplier<Future<WriteReport>> sealFirst;

    Answers(WriteCommand command, Supplier<Future<WriteReport>> sealFirst) {
      this.command = command;
      this.sealFirst = sealFirst;
    }

    ApplyOutcome.Cases<Future<WriteReport>> cases() {
      return new ApplyOutcome.Cases<>(
          applied -> report(command, new WriteOutcome.Applied(applied.resultsJson(), false)),
          replayed -> Future.succeededFuture(replayed(command, replayed.recorded())),
          stale -> stale(command, stale.epoch()),
          unused -> sealFirst.get(),
          rejected -> rejection(command, rejected.refusal()),
          this::unknown);
    }

    private Future<WriteReport> unknown(ApplyOutcome.Unknown unknown) {
      if (!unknown.writeId().isEmpty()) {
        reconciler.follow(command, unknown.writeId());
      }
      return report(command, new WriteOutcome.Unknown(unknownRefusal(unknown.reason())));
    }

    private Refusal unknownRefusal(String reason) {
      var claim = command.claim();
      String howToFindOut =
          claim == null
              ? "; without an Idempotency-Key only the downstream itself can tell"
              : "; ask GET /v1/writes/" + command.resource() + "?key=<Idempotency-Key>";
      return RefusalCode.OUTCOME_UNKNOWN.because(reason + howToFindOut);
    }
  }

  private Future<WriteReport> stale(WriteCommand command, FencingToken epoch) {
    barrier.raised(command.resource(), epoch);
    return rejection(command, FencingRules.stale(command.header().token(), epoch));
  }

  // ---- reports

  private Future<WriteReport> report(WriteCommand command, WriteOutcome outcome) {
    return Future.succeededFuture(
        new WriteReport(
            outcome, command.header().token(), barrier.view(command.resource()).epoch()));
  }

  private Future<WriteReport> rejection(WriteCommand command, Refusal refusal) {
    return Future.succeededFuture(rejected(command, refusal));
  }

  private WriteReport rejected(WriteCommand command, Refusal refusal) {
    FencingToken known = barrier.view(command.resource()).epoch();
    FencingToken epoch = refusal.epoch() == null ? known : refusal.epoch();
    return new WriteReport(new WriteOutcome.Rejected(refusal), command.header().token(), epoch);
  }

  private static WriteReport defective(WriteCommand command, Throwable defect) {
    LOG.error("a write to {} met a defect", command.resource(), defect);
    return new WriteReport(
        new WriteOutcome.Unknown(RefusalCode.INTERNAL_ERROR.because("see the gateway's log")),
        command.header().token(),
        null);
  }
}

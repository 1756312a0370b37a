/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.FencedWrite;
import io.fencegate.adapter.spi.KeyScope;
import io.fencegate.coordination.agreement.PolicyRegister;
import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.epoch.EpochLedger;
import io.fencegate.coordination.epoch.ForeignEpochs;
import io.fencegate.coordination.epoch.Verified;
import io.fencegate.coordination.freeze.FreezeBoard;
import io.fencegate.coordination.idempotency.IdempotencyLedger;
import io.fencegate.coordination.slot.Custody;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.fence.Entry;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.fence.ShadowFence;
import io.fencegate.policy.freeze.FreezeScope;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.server.clock.InTime;
import io.fencegate.server.policy.ActivePolicies;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The path of a write: limit, look-up by key, enter the barrier (which is the decision; verifying
 * with the coordinator first where local knowledge does not suffice), seal the term in the
 * downstream on its first write, second compare, apply.
 *
 * <p>Where the downstream itself judges every token, a newer token's write need not wait for older
 * ones here: once its seal is answered, none of them can land any more. Where it cannot, the {@link
 * Sequencer} takes over once a write has entered; where it compares its own state, {@link
 * PreparedWrites} has looked at that state before.
 *
 * <p>Futures never fail. Used from one context.
 */
public final class WriteService {

  /** Times that a write may start over because something moved under it. */
  static final int MAX_ROUNDS = 8;

  /** How long a write waits for one heartbeat when the last proof of life is too old. */
  private static final Duration HEARTBEAT_WAIT = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(WriteService.class);

  private final Vertx vertx;
  private final DrainBarrier barrier;
  private final TokenSources sources;
  private final GatewaySession session;
  private final Custody custody;
  private final FreezeGate freezes;
  private final Clocks clocks;
  private final WriteObserver observer;
  private final Reports reports;
  private final KeyRecords records;
  private final KeyLookUp keyLookUp;
  private final TermSealer sealer;
  private final Sequencer sequencer;
  private final PreparedWrites prepared;
  private final Reconciler reconciler;
  private final ShadowWrites shadow;
  private final AdmissionLimiter limiter = new AdmissionLimiter();
  private final UnderWay underWay = new UnderWay();

  /** What the service works with. */
  public record Parts(
      Vertx vertx,
      DrainBarrier barrier,
      ShadowFence shadow,
      ActivePolicies policies,
      EpochLedger epochs,
      ForeignEpochs foreignEpochs,
      IdempotencyLedger idempotency,
      GatewaySession session,
      Custody custody,
      FreezeBoard freezes,
      PolicyRegister agreedPolicies,
      Clocks clocks,
      WriteObserver observer) {}

  public WriteService(Parts parts) {
    this.vertx = parts.vertx();
    this.barrier = parts.barrier();
    this.sources = new TokenSources(parts.epochs(), parts.foreignEpochs());
    this.session = parts.session();
    this.custody = parts.custody();
    this.freezes = FreezeGate.of(parts);
    this.clocks = parts.clocks();
    this.observer = parts.observer();
    this.reports = new Reports(parts.barrier());
    this.records = new KeyRecords(parts.idempotency());
    this.keyLookUp = new KeyLookUp(reports, records);
    this.sealer = new TermSealer(parts.epochs(), sources);
    KeyedForwards keyed = new KeyedForwards(parts.vertx(), parts.idempotency(), keyLookUp, reports);
    this.sequencer = new Sequencer(parts, reports, keyed);
    this.prepared = new PreparedWrites(parts, sources, keyed, reports, this::enter);
    this.reconciler = new Reconciler(parts.vertx(), parts.clocks(), parts.observer());
    this.shadow =
        new ShadowWrites(
            new ShadowWrites.Parts(
                parts.vertx(),
                parts.shadow(),
                sources,
                parts.clocks(),
                parts.policies()::isInShadow,
                freezes,
                reports,
                reconciler),
            this::fresh);
  }

  /** Who keeps what became of keyed writes. */
  public KeyRecords records() {
    return records;
  }

  /**
   * The answer to a keyed write that needs nothing of its body: its token is stale by what is known
   * here, and nothing is recorded under its key. Empty where the body has to be looked at.
   */
  public Future<Optional<WriteReport>> staleUnread(WriteCommand command, KeyScope scope) {
    Optional<Refusal> staleHere = barrier.staleHere(command.resource(), command.header().token());
    if (staleHere.isEmpty()) {
      return Future.succeededFuture(Optional.empty());
    }
    return keyLookUp
        .isFresh(command, scope)
        .map(
            fresh ->
                fresh
                    ? staleHere.map(refusal -> reports.refused(command, refusal))
                    : Optional.<WriteReport>empty())
        .onSuccess(stale -> stale.ifPresent(it -> observer.completed(command, it, 0)));
  }

  /** Carries out a write at most once. */
  public Future<WriteReport> submit(WriteCommand command) {
    return judged(
        command,
        () ->
            keyLookUp
                .find(command)
                .compose(
                    known ->
                        known
                            .map(report -> Future.succeededFuture(inItsTerms(command, report)))
                            .orElseGet(() -> carryOut(command))));
  }

  /** A key's record answers whatever the token is, so enforcing would have let it answer too. */
  private static WriteReport inItsTerms(WriteCommand command, WriteReport report) {
    return command.policy().fencing().isShadow() ? report.in(ShadowVerdict.ACCEPTED) : report;
  }

  private Future<WriteReport> carryOut(WriteCommand command) {
    if (command.policy().fencing().isShadow()) {
      return shadow.submit(command);
    }
    return command.task() instanceof WriteTask.Forward forward
            && forward.adapter().preparation().isPresent()
        ? prepared.carryOut(command, forward.request(), forward.adapter().preparation().get())
        : enter(command, this::sealThenApply, MAX_ROUNDS);
  }

  static Refusal unprepared() {
    return RefusalCode.DOWNSTREAM_UNAVAILABLE.because(
        "the adapter compared a state that nothing was prepared for; nothing was done");
  }

  /**
   * Raises the downstream's epoch to the caller's token and writes nothing; when it answers
   * applied, no older write can land any more. Nobody can promise that in shadow.
   */
  public Future<WriteReport> seal(WriteCommand command) {
    return judged(
        command,
        () ->
            command.policy().fencing().isShadow()
                ? rejected(command, noSealInShadow())
                : enter(command, this::sealOnly, MAX_ROUNDS));
  }

  private static Refusal noSealInShadow() {
    return RefusalCode.METHOD_NOT_ALLOWED.because(
        "the resource is in shadow: older writes are sent on, so nothing can be sealed");
  }

  /** What is left to do with a permit, and how often it may start over. */
  @FunctionalInterface
  interface Step {
    Future<WriteReport> run(WriteCommand command, Permit permit, int rounds);
  }

  /**
   * An operator has reset the resource's epoch: forgets what is known of it, unless a write is
   * under way.
   *
   * @return whether it is forgotten
   */
  public boolean forget(ResourceName resource) {
    boolean forgotten = barrier.forget(resource, clocks.read());
    if (forgotten) {
      sealer.forget(resource);
      shadow.forget(resource);
    }
    return forgotten;
  }

  /**
   * A policy was switched: what downstreams have confirmed may be another downstream's. Writes
   * learn it anew.
   */
  public void forgetConfirmed() {
    sealer.forgetAll();
  }

  /** Completes when all writes have ended that are under way now and within the scope. */
  public Future<Void> ended(FreezeScope scope) {
    return underWay.ended(scope);
  }

  /** Not even a key's record is told to who shows a token with a false signature. */
  private Future<WriteReport> judged(WriteCommand command, Supplier<Future<WriteReport>> work) {
    Optional<Refusal> objection =
        command.policy().fencing().isShadow() ? Optional.empty() : sources.objection(command);
    return observed(
        command, objection.isPresent() ? () -> rejected(command, objection.get()) : work);
  }

  private Future<WriteReport> observed(WriteCommand command, Supplier<Future<WriteReport>> work) {
    long startNanos = clocks.read().monotonicNanos();
    return underWay.track(
        command,
        limiter
            .within(
                command.resource(),
                command.policy().limits().maxInFlight(),
                work,
                refusal -> reports.refused(command, refusal))
            .otherwise(
                defect -> {
                  LOG.error("a write to {} met a defect", command.resource(), defect);
                  return reports.defective(command);
                })
            .onSuccess(
                report ->
                    observer.completed(
                        command, report, clocks.read().monotonicNanos() - startNanos)));
  }

  // ---- the decision

  private Future<WriteReport> enter(WriteCommand command, Step step, int rounds) {
    if (rounds == 0) {
      return rejected(command, unavailable("the lock keeps changing"));
    }
    return fresh(command)
        .compose(
            fresh ->
                fresh ? enterFresh(command, step, rounds) : rejected(command, notFresh(command)));
  }

  /**
   * Whether this gateway's life was confirmed and the freezes and policies were read recently;
   * waits for one heartbeat otherwise.
   */
  private Future<Boolean> fresh(WriteCommand command) {
    if (isFresh(command)) {
      return Future.succeededFuture(true);
    }
    return InTime.of(vertx, Future.join(session.refresh(), freezes.refresh()), HEARTBEAT_WAIT)
        .transform(unused -> Future.succeededFuture(isFresh(command)));
  }

  private boolean isFresh(WriteCommand command) {
    ClockReading now = clocks.read();
    return session.isFresh(now) && freezes.isFresh(command, now);
  }

  private Future<WriteReport> enterFresh(WriteCommand command, Step step, int rounds) {
    Optional<Refusal> unfenced = shadow.objectionToEnforced(command.resource());
    if (unfenced.isPresent()) {
      return rejected(command, unfenced.get());
    }
    Optional<Refusal> frozen = freezes.objection(command, clocks.read());
    if (frozen.isPresent()) {
      return rejected(command, frozen.get());
    }
    if (needsOwner(command) && !isInCustody(command)) {
      return takeThenEnter(command, step, rounds);
    }
    return tryEnter(command)
        .fold(
            permit -> step.run(command, permit, rounds).onComplete(unused -> barrier.leave(permit)),
            () -> verifyThenEnter(command, step, rounds),
            refusal -> rejected(command, refusal));
  }

  private boolean isInCustody(WriteCommand command) {
    return custody.admits(command.resource(), command.header().token(), clocks.read());
  }

  /** Before anything leaves, whoever owns the resource next has to be able to know of it. */
  private Future<WriteReport> takeThenEnter(WriteCommand command, Step step, int rounds) {
    FencingToken token = command.header().token();
    Optional<Refusal> stale = barrier.staleHere(command.resource(), token);
    if (stale.isPresent()) {
      return rejected(command, stale.get());
    }
    return custody
        .take(command.resource(), token, command.policy().onUnresolved(), command.deadlineNanos())
        .compose(
            ruling ->
                ruling.fold(
                    taken -> enter(command, step, rounds - 1),
                    refusal -> rejected(command, refusal)));
  }

  private Entry tryEnter(WriteCommand command) {
    boolean confirmed =
        sealer.isKnown(command.resource())
            && !(needsOwner(command) && sequencer.isRunningOut(command));
    return confirmed
        ? barrier.enter(
            command.resource(), command.header(), command.leaseRequired(), clocks.read())
        : new Entry.VerifyFirst();
  }

  private Future<WriteReport> verifyThenEnter(WriteCommand command, Step step, int rounds) {
    ResourceName resource = command.resource();
    return sources
        .verifyAndRaise(command, barrier.view(resource).epoch())
        .compose(
            ruling ->
                ruling.fold(
                    verified -> verified(command, step, rounds, verified),
                    refusal -> {
                      learn(resource, refusal);
                      custody.refused(resource);
                      return rejected(command, refusal.nothingDone());
                    }));
  }

  private Future<WriteReport> verified(
      WriteCommand command, Step step, int rounds, Verified verified) {
    ClockReading now = clocks.read();
    barrier.verified(command.resource(), verified.verification(), verified.askedAt(), now);
    sealer.learn(command.resource(), verified);
    return now.isBefore(verified.verification().goodUntilNanos())
        ? enter(command, step, rounds - 1)
        : rejected(command, tooLate());
  }

  private static Refusal tooLate() {
    return RefusalCode.LEASE_EXPIRED.because(
        "so little is left of the lease that a write could outlive it: renew it first");
  }

  /**
   * An epoch above the present holder's token is not this coordinator's: taking it for known would
   * turn the next refusal into a plain stale token.
   */
  private void learn(ResourceName resource, Refusal refusal) {
    FencingToken epoch = refusal.epoch();
    if (epoch != null && refusal.code() != RefusalCode.TOKEN_BELOW_FLOOR) {
      barrier.raised(resource, epoch);
    }
  }

  // ---- the downstream

  private static boolean needsOwner(WriteCommand command) {
    return command.adapter().offer().needsOwner();
  }

  private Future<WriteReport> sequence(WriteCommand command, Permit permit, Step step, int rounds) {
    return sequencer.carryOut(command, permit, () -> enter(command, step, rounds - 1));
  }

  private Future<WriteReport> sealOnly(WriteCommand command, Permit permit, int rounds) {
    if (needsOwner(command)) {
      return sequence(command, permit, this::sealOnly, rounds);
    }
    return sealed(command, permit, () -> Future.succeededFuture(reports.applied(command, "[]")));
  }

  private Future<WriteReport> sealThenApply(WriteCommand command, Permit permit, int rounds) {
    if (needsOwner(command)) {
      return sequence(command, permit, this::sealThenApply, rounds);
    }
    return sealer.isSealed(permit)
        ? secondCompare(command, permit, rounds, () -> sealAndApply(command, permit, rounds))
        : sealAndApply(command, permit, rounds);
  }

  private Future<WriteReport> sealAndApply(WriteCommand command, Permit permit, int rounds) {
    return sealed(
        command,
        permit,
        () -> secondCompare(command, permit, rounds, () -> epochMovedAgain(command)));
  }

  private Future<WriteReport> epochMovedAgain(WriteCommand command) {
    return rejected(
        command,
        RefusalCode.DOWNSTREAM_BUSY.because(
            "the downstream's epoch changed right after it was raised"));
  }

  private Future<WriteReport> sealed(
      WriteCommand command, Permit permit, Supplier<Future<WriteReport>> next) {
    return sealer
        .seal(command, permit)
        .compose(
            ruling ->
                ruling.fold(
                    sealedPermit -> next.get(), refusal -> refusedByEpoch(command, refusal)));
  }

  private Future<WriteReport> refusedByEpoch(WriteCommand command, Refusal refusal) {
    learn(command.resource(), refusal);
    return rejected(command, refusal);
  }

  /** Everything that entering compared, once more, before the first byte goes out. */
  private Future<WriteReport> secondCompare(
      WriteCommand command, Permit permit, int rounds, Supplier<Future<WriteReport>> sealFirst) {
    ClockReading now = clocks.read();
    if (!now.isBefore(command.deadlineNanos())) {
      return rejected(command, outOfTime());
    }
    if (!session.isFresh(now) || !freezes.admits(command, now)) {
      barrier.leave(permit);
      return enter(command, this::sealThenApply, rounds - 1);
    }
    return barrier
        .confirm(permit, now)
        .fold(
            confirmed -> apply(command, confirmed, sealFirst),
            () -> enter(command, this::sealThenApply, rounds - 1),
            refusal -> rejected(command, refusal));
  }

  private Future<WriteReport> apply(
      WriteCommand command, Permit permit, Supplier<Future<WriteReport>> sealFirst) {
    if (!(command.task() instanceof WriteTask.Operations operations)) {
      throw new IllegalStateException("nothing to apply: " + command.task().wireName());
    }
    return command
        .adapter()
        .apply(
            permit, new FencedWrite(operations.content(), command.claim(), command.deadlineNanos()))
        .otherwise(WriteService::applyDefect)
        .compose(outcome -> outcome.fold(cases(command, sealFirst)));
  }

  static ApplyOutcome applyDefect(Throwable defect) {
    LOG.error("an adapter's apply failed", defect);
    return new ApplyOutcome.Unknown("the adapter met a defect", "");
  }

  private ApplyOutcome.Cases<Future<WriteReport>> cases(
      WriteCommand command, Supplier<Future<WriteReport>> sealFirst) {
    return new ApplyOutcome.Cases<>(
        applied -> Future.succeededFuture(reports.applied(command, applied.resultsJson())),
        replayed -> Future.succeededFuture(reports.replayed(command, replayed.recorded())),
        stale -> sealer.refused(command, stale.epoch()).compose(it -> refusedByEpoch(command, it)),
        unused -> sealFirst.get(),
        rejected -> rejected(command, rejected.refusal()),
        unknown -> {
          if (!unknown.writeId().isEmpty()) {
            reconciler.follow(command, unknown.writeId(), () -> {});
          }
          return Future.succeededFuture(reports.unknown(command, unknown.reason()));
        });
  }

  private Future<WriteReport> rejected(WriteCommand command, Refusal refusal) {
    return Future.succeededFuture(reports.refused(command, refusal));
  }

  static Refusal outOfTime() {
    return RefusalCode.DOWNSTREAM_BUSY.because(
        "the write's time was up before it could be sent; nothing was sent");
  }

  private Refusal notFresh(WriteCommand command) {
    ClockReading now = clocks.read();
    return session.isFresh(now)
        ? freezes.notFresh(command, now)
        : unavailable(
            "the coordinator has not confirmed this gateway lately"
                + session.trouble().map(cause -> ": " + cause).orElse(""));
  }

  private static Refusal unavailable(String why) {
    return RefusalCode.COORDINATOR_UNAVAILABLE.because(why);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.idempotency;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.commit.CommitBatcher;
import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Attempt;
import io.fencegate.coordination.key.IdempotencyRecord;
import io.fencegate.coordination.key.KeyOutcome;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.RequestFingerprint;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Entry;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of keyed writes to downstreams that keep none: what is sent under a key is sent once,
 * across gateways and their ends.
 *
 * <p>Before its first byte a write puts an intent, which no other write with the key gets past.
 * While the gateway that put it lives, the key is in flight; when that gateway's session is gone,
 * nobody can tell any more whether the write was sent, and whoever finds the intent makes it an
 * unknown. The two are told apart in one transaction, so that no gateway is taken for dead on the
 * word of an old look.
 *
 * <p>Used from one context.
 */
public final class IdempotencyLedger {

  /**
   * Writes that have an intent here at once, each of which may hold an answer of up to 64 KiB in
   * memory for as long as the coordinator does not take it.
   */
  static final int MAX_OPEN = 2_000;

  /** Looks at a record that keeps changing. */
  private static final int MAX_ROUNDS = 4;

  private static final Logger LOG = LoggerFactory.getLogger(IdempotencyLedger.class);

  private final Parts parts;
  private final Insistence insistence;

  /** Attempts whose end is not recorded yet: at most one per key, all others are in flight. */
  private final Map<KeyName, Intent> open = new HashMap<>();

  /**
   * What the ledger stands on.
   *
   * @param secureRandom gives that many bytes from a secure random source
   */
  public record Parts(
      Vertx vertx,
      Keyspace keys,
      CommitBatcher commits,
      GatewaySession session,
      Clocks clocks,
      IntFunction<byte[]> secureRandom) {}

  public IdempotencyLedger(Parts parts) {
    this.parts = parts;
    this.insistence = new Insistence(parts.vertx(), parts.commits(), parts.clocks());
  }

  // ---- what is there

  /**
   * What is known of the key's write, linearizably; an intent belongs to a gateway that lives.
   *
   * @param deadlineNanos monotonic
   */
  public Future<Ruling<Optional<IdempotencyRecord>>> lookUp(KeyName name, long deadlineNanos) {
    Intent here = open.get(name);
    if (here != null) {
      return Future.succeededFuture(Ruling.granted(Optional.of(intended(here))));
    }
    return submit(
        new KeyTransaction.Look(parts.keys(), name),
        deadlineNanos,
        judged -> known(name, judged.result().entry(0), deadlineNanos, MAX_ROUNDS));
  }

  /** From the record that was found to what it means now. */
  private Future<Ruling<Optional<IdempotencyRecord>>> known(
      KeyName name, Optional<Entry> found, long deadlineNanos, int rounds) {
    Optional<IdempotencyRecord> record = found.map(it -> IdempotencyRecord.decode(it.value()));
    if (record.isEmpty() || !record.get().isIntent() || isOpen(name, record.get().attempt())) {
      return Future.succeededFuture(Ruling.granted(record));
    }
    return rounds == 0
        ? Future.succeededFuture(Ruling.refused(keepsChanging()))
        : orphan(name, record.get(), deadlineNanos, rounds);
  }

  private Future<Ruling<Optional<IdempotencyRecord>>> orphan(
      KeyName name, IdempotencyRecord intent, long deadlineNanos, int rounds) {
    IdempotencyRecord unknown =
        intent.with(
            new KeyOutcome.Unknown("the gateway that may have sent it ended before its answer"),
            wallMillis());
    return submit(
        KeyTransaction.Put.orphan(parts.keys(), name, unknown),
        deadlineNanos,
        judged -> {
          if (judged.result().held()) {
            LOG.warn("a keyed write to {} is unknown: its gateway is gone", name.resource());
            return Future.succeededFuture(Ruling.granted(Optional.of(unknown)));
          }
          Optional<Entry> found = judged.result().entry(0);
          boolean lives = found.filter(it -> isIntentOf(it, intent.attempt())).isPresent();
          return lives
              ? Future.succeededFuture(Ruling.granted(Optional.of(intent)))
              : known(name, found, deadlineNanos, rounds - 1);
        });
  }

  private boolean isOpen(KeyName name, Attempt attempt) {
    Intent here = open.get(name);
    return here != null && here.attempt().equals(attempt);
  }

  private static boolean isIntentOf(Entry entry, Attempt attempt) {
    IdempotencyRecord record = IdempotencyRecord.decode(entry.value());
    return record.isIntent() && record.attempt().equals(attempt);
  }

  private static Refusal keepsChanging() {
    return RefusalCode.COORDINATOR_UNAVAILABLE.because("the key's record keeps changing");
  }

  /**
   * Closes the key: where nothing was recorded under it, nothing will ever be sent. Answers what
   * the key came to.
   */
  public Future<Ruling<IdempotencyRecord>> close(
      KeyName name, TtlClass ttlClass, long deadlineNanos) {
    return close(name, ttlClass, deadlineNanos, MAX_ROUNDS);
  }

  private Future<Ruling<IdempotencyRecord>> close(
      KeyName name, TtlClass ttlClass, long deadlineNanos, int rounds) {
    if (rounds == 0) {
      return Future.succeededFuture(Ruling.refused(keepsChanging()));
    }
    IdempotencyRecord closed =
        new IdempotencyRecord(
            Attempt.NONE,
            ttlClass.index(),
            null,
            wallMillis(),
            RequestFingerprint.NONE,
            parts.session().id(),
            new KeyOutcome.Closed());
    return submit(
        KeyTransaction.Put.first(parts.keys(), name, ttlClass, () -> closed),
        deadlineNanos,
        judged ->
            judged.result().held()
                ? Future.succeededFuture(Ruling.granted(closed))
                : taken(name, judged, deadlineNanos)
                    .compose(
                        ruling ->
                            ruling.fold(
                                record ->
                                    record
                                        .map(it -> Future.succeededFuture(Ruling.granted(it)))
                                        .orElseGet(
                                            () -> close(name, ttlClass, deadlineNanos, rounds - 1)),
                                refusal -> Future.succeededFuture(Ruling.refused(refusal)))));
  }

  private Future<Ruling<Optional<IdempotencyRecord>>> taken(
      KeyName name, Commit.Judged judged, long deadlineNanos) {
    return known(name, judged.result().entry(0), deadlineNanos, MAX_ROUNDS);
  }

  // ---- one write

  /**
   * Asks for the key. Whoever gets it has to end with {@link #settle} or {@link #abandon}.
   *
   * @return never fails
   */
  public Future<Begun> begin(Claim claim, long deadlineNanos) {
    Intent here = open.get(claim.name());
    if (here != null) {
      return Future.succeededFuture(new Begun.Taken(intended(here)));
    }
    if (open.size() >= MAX_OPEN) {
      return Future.succeededFuture(
          new Begun.Refused(
              RefusalCode.OVERLOADED.because(
                  open.size() + " writes with Idempotency-Keys are not recorded yet")));
    }
    return begin(claim, deadlineNanos, MAX_ROUNDS)
        .otherwise(failure -> new Begun.Refused(unavailable(failure)));
  }

  private Future<Begun> begin(Claim claim, long deadlineNanos, int rounds) {
    if (rounds == 0) {
      return Future.succeededFuture(new Begun.Refused(keepsChanging()));
    }
    Intent intent = new Intent(claim, Attempt.of(parts.secureRandom().apply(Attempt.BYTES)));
    open.put(claim.name(), intent);
    return parts
        .commits()
        .submit(
            KeyTransaction.Put.first(
                parts.keys(), claim.name(), claim.ttlClass(), () -> intended(intent)),
            deadlineNanos)
        .compose(commit -> begun(intent, commit, deadlineNanos, rounds))
        .onFailure(unreadable -> over(intent));
  }

  private Future<Begun> begun(Intent intent, Commit commit, long deadlineNanos, int rounds) {
    if (commit instanceof Commit.InDoubt doubt) {
      abandonOnceSettled(intent);
      return Future.succeededFuture(
          new Begun.Refused(RefusalCode.COORDINATOR_UNAVAILABLE.because(doubt.reason())));
    }
    if (!(commit instanceof Commit.Judged judged)) {
      over(intent);
      return Future.succeededFuture(new Begun.Refused(((Commit.NotCommitted) commit).refusal()));
    }
    boolean mine =
        judged.result().held()
            || judged.result().entry(0).filter(it -> isIntentOf(it, intent.attempt())).isPresent();
    if (mine) {
      return Future.succeededFuture(new Begun.Mine(intent));
    }
    over(intent);
    return taken(intent.claim().name(), judged, deadlineNanos)
        .compose(
            ruling ->
                ruling.fold(
                    record ->
                        record
                            .<Future<Begun>>map(it -> Future.succeededFuture(new Begun.Taken(it)))
                            .orElseGet(() -> begin(intent.claim(), deadlineNanos, rounds - 1)),
                    refusal -> Future.succeededFuture(new Begun.Refused(refusal))));
  }

  /**
   * Nobody waits for this intent, and it may still be on its way: what removes it must not be
   * judged before it.
   */
  private void abandonOnceSettled(Intent intent) {
    parts.vertx().setTimer(CommitBatcher.SETTLING.toMillis(), due -> abandon(intent));
  }

  /**
   * Records what came of a write that was, or may have been, sent; tries until the coordinator has
   * answered. Until then the key is in flight.
   *
   * @param outcome answered or unknown
   * @return completes when it is recorded; never fails
   */
  public Future<Void> settle(Intent intent, KeyOutcome outcome) {
    IdempotencyRecord settled = record(intent, outcome);
    return insistence
        .on(KeyTransaction.Put.settle(parts.keys(), intent, () -> settled))
        .map(
            judged -> {
              over(intent);
              if (!judged.result().held()) {
                LOG.error(
                    "the intent of a keyed write to {} was not there any more when its outcome came",
                    intent.claim().name().resource());
              }
              return null;
            });
  }

  /**
   * Frees the key of a write of which nothing was sent; tries until the coordinator has answered. A
   * key that counts as unknown by then stays so.
   *
   * @return completes when the intent is known to be gone; never fails
   */
  public Future<Void> abandon(Intent intent) {
    return insistence
        .on(new KeyTransaction.Abandon(parts.keys(), intent))
        .map(
            judged -> {
              over(intent);
              return null;
            });
  }

  /** How many writes have an intent here whose end is not recorded yet. */
  public int open() {
    return open.size();
  }

  // ---- common

  private void over(Intent intent) {
    open.remove(intent.claim().name(), intent);
  }

  private IdempotencyRecord intended(Intent intent) {
    return record(intent, new KeyOutcome.Intent());
  }

  private IdempotencyRecord record(Intent intent, KeyOutcome outcome) {
    return new IdempotencyRecord(
        intent.attempt(),
        intent.claim().ttlClass().index(),
        intent.claim().token(),
        wallMillis(),
        intent.claim().fingerprint(),
        parts.session().id(),
        outcome);
  }

  private long wallMillis() {
    return parts.clocks().read().wallMillis();
  }

  private <T> Future<Ruling<T>> submit(
      Transaction transaction,
      long deadlineNanos,
      Function<Commit.Judged, Future<Ruling<T>>> judged) {
    return parts
        .commits()
        .submit(transaction, deadlineNanos)
        .compose(commit -> commit.ruling(judged))
        .recover(failure -> Future.succeededFuture(Ruling.refused(unavailable(failure))));
  }

  private static Refusal unavailable(Throwable failure) {
    return RefusalCode.COORDINATOR_UNAVAILABLE.because(String.valueOf(failure.getMessage()));
  }
}

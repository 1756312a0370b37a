/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import io.fencegate.coordination.key.GenerationRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.SessionRecord;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.LeaseBuckets;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.witness.CoordinatorHistory;
import io.fencegate.coordination.witness.Position;
import io.fencegate.coordination.witness.RevisionWatchdog.Verdict;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.Generation;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This gateway's life in the coordinator: a key with a counter on a lease of {@link #TTL}, kept by
 * a heartbeat every second. Everything the gateway commits compares the counter and the generation,
 * so a gateway without a live session, or with a generation that was raised meanwhile, commits
 * nothing. The same keeps a gateway from putting anything that has not heard yet that history was
 * lost: see {@link LossMark}.
 *
 * <p>Raising the counter settles doubt: what was sent under the old one has been committed and is
 * seen by a look after the raise, or never will be. Looking without raising proves nothing, since a
 * late transaction may commit after the look.
 *
 * <p>Used from one context.
 */
public final class GatewaySession {

  /** How long a session outlives its last heartbeat. */
  public static final Duration TTL = Duration.ofSeconds(10);

  /** How often a session proves that it lives. */
  public static final Duration HEARTBEAT = Duration.ofSeconds(1);

  /** How old the last proof may be; longer than a coordinator's election takes. */
  public static final Duration MAX_STALENESS = Duration.ofSeconds(5);

  /** By how much the two clocks may move apart since the last proof. */
  private static final Duration MAX_DISAGREEMENT = Duration.ofMillis(250);

  private static final Logger LOG = LoggerFactory.getLogger(GatewaySession.class);

  private final CoordinationStore store;
  private final Keyspace keys;
  private final LeaseBuckets buckets;
  private final Clocks clocks;
  private final String address;
  private final Supplier<String> newId;
  private final Runnable onDoubtfulPast;
  private final CoordinatorHistory history;
  private final LossMark mark;
  private final GenerationReader generations;
  private final TtlClass ttlClass = TtlClass.atLeast(TTL);

  private String id = "";
  private long counter;
  private Generation generation = Generation.FIRST;
  private boolean proven;
  private boolean everProven;
  private boolean closed;
  private boolean leaving;
  private boolean stepInDoubt;
  private ClockReading provenAt = new ClockReading(0, 0);
  private @Nullable String trouble;
  private Optional<Future<Void>> refreshing = Optional.empty();
  private Future<Void> lastStep = Future.succeededFuture();

  /** Who a session is and what it needs. */
  public record Setup(
      CoordinationStore store,
      Keyspace keys,
      LeaseBuckets buckets,
      Clocks clocks,
      String address,
      Supplier<String> newId,
      Runnable onDoubtfulPast,
      CoordinatorHistory history) {}

  /**
   * A session that does not live yet.
   *
   * @param setup {@code newId} gives unguessable ids of 1 to 64 characters {@code [A-Za-z0-9_-]};
   *     {@code onDoubtfulPast} is told when a session was lost or the generation was raised:
   *     whatever was confirmed before has to be confirmed again
   */
  public GatewaySession(Setup setup) {
    this.store = setup.store();
    this.keys = setup.keys();
    this.buckets = setup.buckets();
    this.clocks = setup.clocks();
    this.address = setup.address();
    this.newId = setup.newId();
    this.onDoubtfulPast = setup.onDoubtfulPast();
    this.history = setup.history();
    this.mark = new LossMark(store, keys.historyLost(), history);
    this.generations = new GenerationReader(store, keys.generation(), history, mark);
  }

  /**
   * Whether the last proof of life is recent enough to let writes in on local knowledge. Clocks
   * that moved differently since show a machine that was frozen: then the monotonic one says too
   * little.
   */
  public boolean isFresh(ClockReading now) {
    return proven
        && now.isBefore(provenAt.monotonicNanos() + MAX_STALENESS.toNanos())
        && now.disagreementMillis(provenAt) <= MAX_DISAGREEMENT.toMillis();
  }

  /** Whether the coordinator has ever confirmed this gateway. */
  public boolean wasEverProven() {
    return everProven;
  }

  public Generation generation() {
    return generation;
  }

  /** The session's id; empty while there is none. */
  public String id() {
    return id;
  }

  /**
   * Proves that the session lives, or opens a new one, and reads the generation. Calls while one is
   * under way join it. Fails with {@link StoreException}; with {@code NO_SPACE} the generation was
   * read all the same.
   */
  public Future<Void> refresh() {
    if (refreshing.isPresent()) {
      return refreshing.get();
    }
    Future<Void> attempt =
        oneAfterAnother(
            () ->
                (id.isEmpty() ? open() : stepInDoubt ? raise().compose(unused -> beat()) : beat())
                    .recover(this::atLeastTheGeneration)
                    .eventually(mark::tellOthers));
    refreshing = Optional.of(attempt);
    attempt.onComplete(
        result -> {
          refreshing = Optional.empty();
          trouble = result.succeeded() ? null : String.valueOf(result.cause().getMessage());
        });
    return attempt;
  }

  /**
   * A heartbeat without an answer may still arrive and move the session back to a lease that ends
   * earlier, so before another one proves anything the counter is raised: then it comes too late.
   */
  private Future<Void> beat() {
    return id.isEmpty() ? Future.succeededFuture() : heartbeat();
  }

  /**
   * Steps that change the session never overlap: with two of them opening new sessions, doubt under
   * the one would be settled by the other's counter.
   */
  private Future<Void> oneAfterAnother(Supplier<Future<Void>> step) {
    lastStep = lastStep.transform(unused -> closed ? ended() : step.get());
    return lastStep.onFailure(this::forgetBuckets).onFailure(this::noteDoubt);
  }

  private void noteDoubt(Throwable failure) {
    stepInDoubt |=
        !(failure instanceof StoreException known)
            || known.kind() == StoreException.Kind.INDEFINITE;
  }

  private static Future<Void> ended() {
    return Future.failedFuture(
        new StoreException(StoreException.Kind.DEFINITE, "this gateway has ended its session"));
  }

  private void forgetBuckets(Throwable failure) {
    if (failure instanceof StoreException known && known.kind() == StoreException.Kind.LEASE_GONE) {
      buckets.discardAll();
    }
  }

  /** What every batch of this gateway compares that puts something. */
  List<Compare> compares() {
    return List.of(
        new Compare.ValuePrefix(keys.gateway(id), SessionRecord.exactly(counter)),
        sameGeneration(),
        mark.unchanged());
  }

  /** What a batch compares that puts nothing: see {@link Transaction#putsNothing()}. */
  List<Compare> comparesOfDeletes() {
    return List.of(sameGeneration());
  }

  private Compare sameGeneration() {
    return new Compare.ValuePrefix(keys.generation(), GenerationRecord.exactly(generation));
  }

  /** Why the session was not proven at the last attempt, if it was not. */
  public Optional<String> trouble() {
    return Optional.ofNullable(trouble);
  }

  private Future<Void> atLeastTheGeneration(Throwable failure) {
    Future<Void> failed = Future.failedFuture(failure);
    return OutOfSpace.is(failure)
        ? generations
            .read()
            .compose(
                found -> {
                  found.ifPresent(this::adopt);
                  return failed;
                },
                worse -> Future.failedFuture(worse))
        : failed;
  }

  /**
   * Raises the counter; when it completes, nothing that was sent before can be committed any more.
   * Ends in a new session where the old one is gone, which settles the same. Where there is no
   * space to raise anything the session is deleted instead: that too settles, and fails {@code
   * NO_SPACE}. Any other failure, a {@link StoreException}, proves nothing.
   */
  Future<Void> settle() {
    return oneAfterAnother(() -> id.isEmpty() ? open() : raise().recover(this::endForLackOfSpace));
  }

  private Future<Void> endForLackOfSpace(Throwable failure) {
    Future<Void> failed = Future.failedFuture(failure);
    if (!OutOfSpace.is(failure) || id.isEmpty()) {
      return failed;
    }
    proven = false;
    return commit(deletion(keys.gateway(id)))
        .compose(
            unused -> {
              LOG.warn("session ended to settle what is in doubt: {}", failure.getMessage());
              forget();
              return failed;
            },
            worse -> Future.failedFuture(worse));
  }

  private static Member deletion(Key key) {
    return new Member(List.of(), List.of(new Op.Delete(key)), List.of());
  }

  private Future<Void> raise() {
    Key key = keys.gateway(id);
    long raised = counter + 1;
    return buckets
        .current(ttlClass, 1)
        .compose(
            bucket ->
                commit(
                    new Member(
                        List.of(new Compare.ValueBelow(key, SessionRecord.boundBelow(raised))),
                        List.of(put(key, raised, bucket)),
                        List.of(new Op.Get(key)))))
        .compose(
            answer -> {
              var result = answer.members().get(0);
              if (result.held()) {
                counter = raised;
                stepInDoubt = false;
                return Future.<Void>succeededFuture();
              }
              return result
                  .entry(0)
                  .map(this::adoptRaise)
                  .orElseGet(() -> reopen("the session ended"));
            });
  }

  /** An earlier raise that was in doubt had been committed: that settles everything before it. */
  private Future<Void> adoptRaise(Entry entry) {
    counter = Math.max(counter, SessionRecord.decode(entry.value()).counter());
    return Future.succeededFuture();
  }

  /** Says that this gateway is about to end, so that nothing is placed on it any more. */
  public Future<Void> leave() {
    leaving = true;
    return oneAfterAnother(() -> id.isEmpty() ? Future.succeededFuture() : raise());
  }

  /** Removes the session, so that others need not wait for its end; no other is opened. */
  public Future<Void> close() {
    return oneAfterAnother(
        () -> {
          closed = true;
          if (id.isEmpty()) {
            return Future.succeededFuture();
          }
          Key key = keys.gateway(id);
          id = "";
          proven = false;
          return commit(deletion(key)).mapEmpty();
        });
  }

  private Future<Void> open() {
    ClockReading asked = clocks.read();
    String candidate = newId.get();
    Key key = keys.gateway(candidate);
    return knownCluster()
        .compose(unused -> generations.ensured())
        .map(this::adopt)
        .compose(
            found ->
                buckets
                    .current(ttlClass, 1)
                    .compose(
                        bucket ->
                            commit(
                                new Member(
                                    List.of(Compare.absent(key)),
                                    List.of(put(key, 0, bucket)),
                                    List.of())))
                    .map(
                        answer -> {
                          id = candidate;
                          counter = 0;
                          stepInDoubt = false;
                          prove(asked);
                          LOG.info("session opened in generation {}", found.value());
                          return null;
                        }));
  }

  /**
   * Nothing is granted in a coordinator without a session in it, so before one is opened it is
   * known whether the coordinator is the one that it was.
   */
  private Future<Void> knownCluster() {
    return store
        .health()
        .map(
            health -> {
              health.clusterId().ifPresent(history::clusterIs);
              return null;
            });
  }

  /**
   * Touches without comparing the modification revision: one that is late could move the session
   * back to a bucket that ends earlier, so a step without an answer is settled before the next: see
   * {@link #beat}.
   */
  private Future<Void> heartbeat() {
    Position floor = history.floor();
    ClockReading asked = clocks.read();
    Key key = keys.gateway(id);
    return buckets
        .current(ttlClass, 1)
        .compose(
            bucket ->
                commit(
                    new Member(
                        List.of(new Compare.ValuePrefix(key, SessionRecord.exactly(counter))),
                        List.of(
                            new Op.Touch(key, bucket.lease()),
                            new Op.Get(keys.generation()),
                            mark.get()),
                        List.of(new Op.Get(key)))))
        .compose(
            answer -> {
              var result = answer.members().get(0);
              return result.held()
                  ? proven(asked, floor, answer)
                  : result
                      .entry(0)
                      .map(this::adoptRaiseThenBeat)
                      .orElseGet(() -> reopen("it ran out"));
            });
  }

  /** A first answer that is behind what was seen before is no proof: asks once more. */
  private Future<Void> proven(ClockReading asked, Position floor, BatchResult.Committed answer) {
    var result = answer.members().get(0);
    Generation found = GenerationReader.required(result.entry(1));
    Position position = new Position(found, answer.revision());
    if (history.answered(floor, position, mark.found(result.entry(2))) == Verdict.SUSPECT) {
      return heartbeat();
    }
    adopt(found);
    prove(asked);
    return Future.succeededFuture();
  }

  /** A counter below ours was raised before: the coordinator has forgotten that. */
  private Future<Void> adoptRaiseThenBeat(Entry entry) {
    return SessionRecord.decode(entry.value()).counter() < counter
        ? reopen("the coordinator has an older state of it")
        : adoptRaise(entry).compose(unused -> heartbeat());
  }

  private Future<Void> reopen(String reason) {
    LOG.warn("session lost: {}; opening a new one", reason);
    forget();
    return open();
  }

  private void forget() {
    id = "";
    proven = false;
    buckets.discardAll();
    onDoubtfulPast.run();
  }

  private Generation adopt(Generation found) {
    if (!found.equals(generation)) {
      LOG.warn("generation is {} now, was {}", found.value(), generation.value());
      generation = found;
      onDoubtfulPast.run();
    }
    return found;
  }

  private void prove(ClockReading asked) {
    proven = true;
    everProven = true;
    provenAt = asked;
  }

  private Op put(Key key, long count, Bucket bucket) {
    return new Op.Put(key, new SessionRecord(count, address, leaving).encode(), bucket.lease());
  }

  private Future<BatchResult.Committed> commit(Member member) {
    return alone(store, member);
  }

  /** Commits a transaction that compares nothing but what it says itself. */
  static Future<BatchResult.Committed> alone(CoordinationStore store, Member member) {
    return Patience.with(store.commit(new Batch(List.of(), List.of(member), List.of())))
        .map(BatchResult.Committed.class::cast);
  }
}

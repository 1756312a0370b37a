/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.LeaseBuckets;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.witness.CoordinatorHistory;
import io.fencegate.coordination.witness.Position;
import io.fencegate.coordination.witness.RevisionWatchdog.Verdict;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One group of transactions on its way through the store, as one batch where that works.
 *
 * <p>A store refuses a batch whole for one member's fault: a lease that is gone, a key that another
 * member writes too, a step that cannot be done. A lease is replaced once. Otherwise the batch is
 * taken apart by halves, one sending after another, until the member at fault stands alone and gets
 * the refusal; all others are committed. Where everything is refused this ends after {@link
 * #MAX_REFUSALS}.
 *
 * <p>An answer from behind the history that was seen before counts as doubt for what rests on it.
 */
final class Flight {

  /**
   * Refusals that a flight takes before it believes that the fault is no single member's. Finding
   * one among 100 takes 8, four of them fewer than 32.
   */
  private static final int MAX_REFUSALS = 32;

  private static final Logger LOG = LoggerFactory.getLogger(Flight.class);

  /** What all flights of a gateway stand on. */
  record Parts(
      CoordinationStore store,
      GatewaySession session,
      LeaseBuckets buckets,
      CoordinatorHistory history,
      Clocks clocks,
      Landing landing) {}

  /** Where transactions go that this flight brought no answer for. */
  interface Landing {

    /** They did not fit: send them with the next. */
    void left(List<Pending> members);

    /** Nothing was judged: find the session and the generation first, then send them again. */
    void fenced(List<Pending> members, boolean putsNothing);

    /** They may have been committed: settle that first, then send them again. */
    void inDoubt(List<Pending> members, boolean putsNothing);

    void answered(int members, long tookNanos, CommitObserver.Outcome outcome);
  }

  private final Parts parts;
  private final boolean putsNothing;
  private int refusals;
  private boolean leasesReplaced;

  /**
   * A flight.
   *
   * @param putsNothing whether its members are such; then the batch is not bound to the session
   */
  Flight(Parts parts, boolean putsNothing) {
    this.parts = parts;
    this.putsNothing = putsNothing;
  }

  /** Completes, and never fails, when all of them were answered or have landed. */
  Future<Void> send(List<Pending> members) {
    return currentBuckets(members)
        .compose(current -> sendWith(current, members))
        .recover(defect -> defect(members, defect));
  }

  /** The buckets of all classes that the members need, or why one cannot be had. */
  private record Current(Map<TtlClass, Bucket> buckets, Map<TtlClass, Throwable> failures) {

    Optional<Throwable> missing(Pending member) {
      return failures.isEmpty()
          ? Optional.empty()
          : member.transaction().ttlClasses().stream()
              .flatMap(ttlClass -> Stream.ofNullable(failures.get(ttlClass)))
              .findFirst();
    }
  }

  private Future<Current> currentBuckets(List<Pending> members) {
    Map<TtlClass, Integer> needed = new HashMap<>();
    for (Pending member : members) {
      member.transaction().ttlClasses().forEach(c -> needed.merge(c, 1, Integer::sum));
    }
    Current current = new Current(new HashMap<>(), new HashMap<>());
    if (needed.isEmpty()) {
      return Future.succeededFuture(current);
    }
    List<Future<Bucket>> grants = new ArrayList<>();
    needed.forEach(
        (ttlClass, keys) ->
            grants.add(
                parts
                    .buckets()
                    .current(ttlClass, keys)
                    .onSuccess(bucket -> current.buckets().put(ttlClass, bucket))
                    .onFailure(failure -> current.failures().put(ttlClass, failure))));
    return Future.join(grants).transform(unused -> Future.succeededFuture(current));
  }

  /** A class whose bucket cannot be had stops only the members that need it. */
  private Future<Void> sendWith(Current current, List<Pending> members) {
    List<Pending> ready = new ArrayList<>(members.size());
    for (Pending member : members) {
      refusedAsLost(member).ifPresent(member::refuse);
      current.missing(member).ifPresent(failure -> member.giveUp(noLease(failure)));
      if (!member.isAnswered()) {
        ready.add(member);
      }
    }
    return ready.isEmpty() ? Future.succeededFuture() : commit(current, ready);
  }

  /** What was let in before a loss of history was noticed does not go out any more. */
  private Optional<Refusal> refusedAsLost(Pending member) {
    return parts.history().refusal().filter(unused -> member.transaction().needsHistory());
  }

  private static String noLease(Throwable failure) {
    return OutOfSpace.is(failure)
        ? OutOfSpace.reason(failure)
        : "no lease to be had: " + failure.getMessage();
  }

  private Future<Void> commit(Current current, List<Pending> ready) {
    BatchBuilder.Built built =
        BatchBuilder.build(ready, parts.session().generation(), outerCompares(), current.buckets());
    if (!built.left().isEmpty()) {
      parts.landing().left(built.left());
    }
    long askedNanos = now();
    Position floor = parts.history().floor();
    built.pending().forEach(Pending::leaves);
    return Patience.with(parts.store().commit(built.batch()))
        .transform(
            answer ->
                answer.succeeded()
                    ? judged(built, answer.result(), floor, askedNanos)
                    : failed(built, current, answer.cause(), askedNanos));
  }

  private List<Compare> outerCompares() {
    return putsNothing ? parts.session().comparesOfDeletes() : parts.session().compares();
  }

  private Future<Void> judged(
      BatchBuilder.Built built, BatchResult result, Position floor, long askedNanos) {
    if (result instanceof BatchResult.Committed committed) {
      tell(built, askedNanos, CommitObserver.Outcome.JUDGED);
      committed(built, committed, floor);
    } else {
      tell(built, askedNanos, CommitObserver.Outcome.FENCED);
      built.pending().forEach(Pending::cameBack);
      parts.landing().fenced(built.pending(), putsNothing);
    }
    return Future.succeededFuture();
  }

  private void committed(
      BatchBuilder.Built built, BatchResult.Committed committed, Position floor) {
    boolean intact =
        parts.history().answered(floor, built.generation(), committed.revision()) == Verdict.INTACT;
    List<Pending> unusable = new ArrayList<>();
    for (int i = 0; i < built.pending().size(); i++) {
      Pending pending = built.pending().get(i);
      if (intact || !pending.transaction().needsHistory()) {
        pending.judged(
            new Commit.Judged(
                committed.revision(),
                built.generation(),
                committed.members().get(i),
                pending.wasDoubted()));
      } else {
        unusable.add(pending);
      }
    }
    if (!unusable.isEmpty()) {
      inDoubt(unusable, "the coordinator's answer is older than what was seen before");
    }
  }

  private void inDoubt(List<Pending> members, String reason) {
    LOG.warn("a batch of {} is in doubt: {}", members.size(), reason);
    members.forEach(Pending::doubt);
    parts.landing().inDoubt(members, putsNothing);
  }

  private Future<Void> failed(
      BatchBuilder.Built built, Current current, Throwable failure, long askedNanos) {
    List<Pending> members = built.pending();
    StoreException.Kind kind = kindOf(failure);
    if (kind == StoreException.Kind.INDEFINITE) {
      tell(built, askedNanos, CommitObserver.Outcome.IN_DOUBT);
      inDoubt(members, String.valueOf(failure.getMessage()));
      return Future.succeededFuture();
    }
    tell(built, askedNanos, CommitObserver.Outcome.REFUSED);
    members.forEach(Pending::cameBack);
    if (kind == StoreException.Kind.LEASE_GONE) {
      current.buckets().values().forEach(parts.buckets()::discard);
      if (!leasesReplaced) {
        leasesReplaced = true;
        return send(members);
      }
    }
    if (kind == StoreException.Kind.NO_SPACE) {
      // All that put are refused alike.
      return givenUp(members, OutOfSpace.reason(failure));
    }
    return takenApart(members, failure);
  }

  private static StoreException.Kind kindOf(Throwable failure) {
    if (failure instanceof StoreException known) {
      return known.kind();
    }
    LOG.error("a batch met a defect", failure);
    return StoreException.Kind.INDEFINITE;
  }

  private Future<Void> takenApart(List<Pending> members, Throwable refusal) {
    refusals++;
    if (members.size() == 1 || refusals > MAX_REFUSALS) {
      return givenUp(members, String.valueOf(refusal.getMessage()));
    }
    int half = members.size() / 2;
    return send(members.subList(0, half))
        .compose(unused -> send(members.subList(half, members.size())));
  }

  private static Future<Void> givenUp(List<Pending> members, String reason) {
    members.forEach(member -> member.giveUp(reason));
    return Future.succeededFuture();
  }

  /** A member that cannot be built is found like one that is refused. */
  private Future<Void> defect(List<Pending> members, Throwable defect) {
    LOG.error("a batch of {} met a defect", members.size(), defect);
    if (members.stream().noneMatch(Pending::mayHaveLeft)) {
      return takenApart(members, defect);
    }
    members.forEach(member -> member.giveUp("the gateway met a defect: see its log"));
    return Future.succeededFuture();
  }

  private void tell(BatchBuilder.Built built, long askedNanos, CommitObserver.Outcome outcome) {
    parts.landing().answered(built.pending().size(), now() - askedNanos, outcome);
  }

  private long now() {
    return parts.clocks().read().monotonicNanos();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.LeaseBuckets;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.witness.CoordinatorHistory;
import io.fencegate.coordination.witness.Position;
import io.fencegate.coordination.witness.RevisionWatchdog.Verdict;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.Generation;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects transactions while a few batches are under way and commits them together, each with its
 * own compares, all behind the session's.
 *
 * <p>A batch without a definite answer leaves its transactions in doubt. They are sent again only
 * after the session's counter was raised (see {@link GatewaySession}), so a first sending can never
 * be committed behind a second one. What is still in doubt at its deadline is answered so.
 *
 * <p>Transactions that put nothing are not bound to the session, so they pass without one and while
 * nothing can be put. Being late is harmless to them (see {@link Transaction#deletesOnly()}), so
 * their doubt needs no settling either: they are sent again.
 *
 * <p>While the coordinator's history is lost, what rests on it is refused; an answer from behind
 * that history counts as doubt.
 *
 * <p>The bridge from transactions to futures; used from one context.
 */
public final class CommitBatcher {

  /** Transactions per batch: what fits the narrowest store beside the outer compares. */
  static final int MAX_MEMBERS = 100;

  /** Batches under way at once; more would only wait inside the store. */
  static final int MAX_IN_FLIGHT = 4;

  /** Transactions that may wait; beyond it the gateway is overloaded and says so. */
  static final int MAX_WAITING = 20_000;

  /** Shortest time between two attempts to settle doubt or to find the session again. */
  private static final Duration RETRY_PAUSE = Duration.ofMillis(250);

  private static final String MAKE_ROOM =
      ": make room (etcd: compact, defragment or raise the quota, then disarm the alarm)";

  private static final Logger LOG = LoggerFactory.getLogger(CommitBatcher.class);

  private static final class Pending {
    final Transaction transaction;
    final Promise<Commit> promise = Promise.promise();
    boolean doubted;
    long timer;

    Pending(Transaction transaction) {
      this.transaction = transaction;
    }

    boolean isAnswered() {
      return promise.future().isComplete();
    }
  }

  private record Members(
      List<Pending> pending, Batch batch, Generation generation, boolean deletesOnly) {}

  private final Vertx vertx;
  private final CoordinationStore store;
  private final GatewaySession session;
  private final LeaseBuckets buckets;
  private final CoordinatorHistory history;
  private final Clocks clocks;
  private final Deque<Pending> puts = new ArrayDeque<>();
  private final Deque<Pending> deletes = new ArrayDeque<>();
  private final List<Pending> doubted = new ArrayList<>();
  private int inFlight;
  private boolean recovering;
  private boolean deletesPaused;
  private boolean deletesNext;

  public CommitBatcher(
      Vertx vertx,
      CoordinationStore store,
      GatewaySession session,
      LeaseBuckets buckets,
      CoordinatorHistory history,
      Clocks clocks) {
    this.vertx = vertx;
    this.store = store;
    this.session = session;
    this.buckets = buckets;
    this.history = history;
    this.clocks = clocks;
  }

  /**
   * Commits a transaction with others.
   *
   * @param deadlineNanos monotonic; the answer is there by then
   * @return never fails
   */
  public Future<Commit> submit(Transaction transaction, long deadlineNanos) {
    ClockReading now = clocks.read();
    if (puts.size() + deletes.size() >= MAX_WAITING) {
      return notCommitted(RefusalCode.OVERLOADED, "the coordinator's queue is full");
    }
    if (!now.isBefore(deadlineNanos)) {
      return notCommitted(RefusalCode.COORDINATOR_UNAVAILABLE, "no time was left to ask it");
    }
    Optional<Refusal> lost = history.refusal().filter(unused -> transaction.needsHistory());
    if (lost.isPresent()) {
      return Future.succeededFuture(new Commit.NotCommitted(lost.get()));
    }
    Pending pending = new Pending(transaction);
    pending.timer =
        vertx.setTimer(Math.max(1, now.millisUntil(deadlineNanos)), unused -> expire(pending));
    pending.promise.future().onComplete(unused -> vertx.cancelTimer(pending.timer));
    queueOf(pending).addLast(pending);
    flush();
    return pending.promise.future();
  }

  private static Future<Commit> notCommitted(RefusalCode code, String detail) {
    return Future.succeededFuture(new Commit.NotCommitted(code.because(detail)));
  }

  private Deque<Pending> queueOf(Pending pending) {
    return pending.transaction.deletesOnly() ? deletes : puts;
  }

  private void flush() {
    while (inFlight < MAX_IN_FLIGHT && (canPut() || canDelete())) {
      boolean takeDeletes = canDelete() && (deletesNext || !canPut());
      deletesNext = !takeDeletes;
      List<Pending> members = take(takeDeletes ? deletes : puts);
      if (!members.isEmpty()) {
        send(members, takeDeletes);
      }
    }
  }

  private boolean canPut() {
    return !recovering && !puts.isEmpty();
  }

  private boolean canDelete() {
    return !deletesPaused && !deletes.isEmpty();
  }

  /** The longest waiting ones, at most one per resource. */
  private List<Pending> take(Deque<Pending> queue) {
    List<Pending> members = new ArrayList<>();
    Set<ResourceName> resources = new HashSet<>();
    for (Iterator<Pending> it = queue.iterator(); it.hasNext() && members.size() < MAX_MEMBERS; ) {
      Pending next = it.next();
      if (next.isAnswered() || refusedAsLost(next)) {
        it.remove();
      } else if (resources.add(next.transaction.resource())) {
        it.remove();
        members.add(next);
      }
    }
    return members;
  }

  /** What was let in before the loss of history was noticed does not go out any more. */
  private boolean refusedAsLost(Pending pending) {
    Optional<Refusal> lost = history.refusal().filter(x -> pending.transaction.needsHistory());
    lost.ifPresent(
        refusal ->
            pending.promise.tryComplete(
                pending.doubted
                    ? new Commit.InDoubt(refusal.detail())
                    : new Commit.NotCommitted(refusal)));
    return lost.isPresent();
  }

  private void send(List<Pending> members, boolean deletesOnly) {
    inFlight++;
    currentBuckets(members)
        .compose(current -> sendWith(current, members, deletesOnly))
        .onComplete(
            unused -> {
              inFlight--;
              flush();
            });
  }

  /** The buckets of all classes that the members need, or why one cannot be had. */
  private record Current(Map<TtlClass, Bucket> buckets, Map<TtlClass, Throwable> failures) {

    Optional<Throwable> missing(Pending member) {
      return member.transaction.ttlClasses().stream()
          .flatMap(ttlClass -> Stream.ofNullable(failures.get(ttlClass)))
          .findFirst();
    }
  }

  private Future<Current> currentBuckets(List<Pending> members) {
    Map<TtlClass, Integer> needed = new HashMap<>();
    for (Pending member : members) {
      member.transaction.ttlClasses().forEach(c -> needed.merge(c, 1, Integer::sum));
    }
    Current current = new Current(new HashMap<>(), new HashMap<>());
    List<Future<Bucket>> grants = new ArrayList<>();
    needed.forEach(
        (ttlClass, keys) ->
            grants.add(
                buckets
                    .current(ttlClass, keys)
                    .onSuccess(bucket -> current.buckets().put(ttlClass, bucket))
                    .onFailure(failure -> current.failures().put(ttlClass, failure))));
    return Future.join(grants).transform(unused -> Future.succeededFuture(current));
  }

  /** A class whose bucket cannot be had stops only the members that need it. */
  private Future<Void> sendWith(Current current, List<Pending> members, boolean deletesOnly) {
    List<Pending> ready = new ArrayList<>(members.size());
    for (Pending member : members) {
      current
          .missing(member)
          .ifPresentOrElse(failure -> failed(List.of(member), failure), () -> ready.add(member));
    }
    return ready.isEmpty()
        ? Future.succeededFuture()
        : Future.succeededFuture()
            .compose(unused -> commit(build(ready, current.buckets(), deletesOnly)))
            .onFailure(failure -> failed(ready, failure));
  }

  private Members build(List<Pending> members, Map<TtlClass, Bucket> current, boolean deletesOnly) {
    Generation generation = session.generation();
    List<Member> built = new ArrayList<>(members.size());
    members.forEach(member -> built.add(member.transaction.build(generation, current)));
    List<Compare> outer = deletesOnly ? session.comparesOfDeletes() : session.compares();
    return new Members(members, new Batch(outer, built, List.of()), generation, deletesOnly);
  }

  private Future<Void> commit(Members members) {
    Position floor = history.floor();
    return store
        .commit(members.batch())
        .map(
            answer -> {
              if (answer instanceof BatchResult.Committed committed) {
                judged(members, committed, floor);
              } else {
                fenced(members);
              }
              return null;
            });
  }

  /** An answer from behind what was seen before is none for what rests on history. */
  private void judged(Members members, BatchResult.Committed committed, Position floor) {
    boolean intact =
        history.answered(floor, members.generation(), committed.revision()) == Verdict.INTACT;
    List<Pending> unusable = new ArrayList<>();
    for (int i = 0; i < members.pending().size(); i++) {
      Pending pending = members.pending().get(i);
      if (!intact && pending.transaction.needsHistory()) {
        unusable.add(pending);
        continue;
      }
      pending.promise.tryComplete(
          new Commit.Judged(
              committed.revision(),
              members.generation(),
              committed.members().get(i),
              pending.doubted));
    }
    if (!unusable.isEmpty()) {
      inDoubt(unusable, "the coordinator's answer is older than what was seen before");
    }
  }

  /** Nothing of the batch was judged: find the session and the generation, then send it again. */
  private void fenced(Members members) {
    deletesPaused |= members.deletesOnly();
    requeue(members.pending());
    recover();
  }

  private void failed(List<Pending> members, Throwable failure) {
    StoreException.Kind kind =
        failure instanceof StoreException known ? known.kind() : StoreException.Kind.INDEFINITE;
    if (!(failure instanceof StoreException)) {
      LOG.error("a batch met a defect", failure);
    }
    switch (kind) {
      case LEASE_GONE -> {
        buckets.discardAll();
        requeue(members);
      }
      case DEFINITE -> answer(members, String.valueOf(failure.getMessage()));
      case NO_SPACE -> answer(members, outOfSpace(failure));
      case INDEFINITE -> inDoubt(members, String.valueOf(failure.getMessage()));
    }
  }

  private static String outOfSpace(Throwable failure) {
    return "the coordinator is out of space (" + failure.getMessage() + ")" + MAKE_ROOM;
  }

  private void inDoubt(List<Pending> members, String reason) {
    LOG.warn("a batch of {} is in doubt: {}", members.size(), reason);
    members.forEach(member -> member.doubted = true);
    if (members.stream().allMatch(member -> member.transaction.deletesOnly())) {
      deletesPaused = true;
      requeue(members);
      vertx.setTimer(RETRY_PAUSE.toMillis(), unused -> resumeDeletes());
    } else {
      doubted.addAll(members);
      recover();
    }
  }

  private void resumeDeletes() {
    deletesPaused = false;
    flush();
  }

  private static void answer(List<Pending> members, String reason) {
    members.forEach(member -> member.promise.tryComplete(definite(member, reason)));
  }

  private static Commit definite(Pending member, String reason) {
    return member.doubted
        ? new Commit.InDoubt(reason)
        : new Commit.NotCommitted(RefusalCode.COORDINATOR_UNAVAILABLE.because(reason));
  }

  /** Sends nothing until the session is known to live and all doubt is settled. */
  private void recover() {
    if (!recovering) {
      recovering = true;
      attemptRecovery();
    }
  }

  private void attemptRecovery() {
    List<Pending> settling = List.copyOf(doubted);
    Future<Void> step = settling.isEmpty() ? session.refresh() : session.settle();
    step.onSuccess(unused -> recovered(settling, settling.size()))
        .onFailure(
            failure -> {
              if (isOutOfSpace(failure)) {
                recoveredWithoutSpace(settling, outOfSpace(failure));
              } else {
                LOG.warn("the coordinator does not answer: {}", failure.getMessage());
                vertx.setTimer(RETRY_PAUSE.toMillis(), unused -> attemptRecovery());
              }
            });
  }

  private static boolean isOutOfSpace(Throwable failure) {
    return failure instanceof StoreException known && known.kind() == StoreException.Kind.NO_SPACE;
  }

  /**
   * There is no session and there will be none until there is space. What was in doubt cannot be
   * committed any more, but whether it was cannot be found out by sending it again.
   */
  private void recoveredWithoutSpace(List<Pending> settled, String reason) {
    answer(settled, reason);
    answer(List.copyOf(puts), reason);
    puts.clear();
    recovered(List.of(), settled.size());
  }

  /** Only what was in doubt before the settling step began is settled by it. */
  private void recovered(List<Pending> sendAgain, int settled) {
    doubted.subList(0, settled).clear();
    requeue(sendAgain);
    if (doubted.isEmpty()) {
      recovering = false;
      resumeDeletes();
    } else {
      vertx.setTimer(RETRY_PAUSE.toMillis(), unused -> attemptRecovery());
    }
  }

  private void requeue(List<Pending> members) {
    for (int i = members.size() - 1; i >= 0; i--) {
      queueOf(members.get(i)).addFirst(members.get(i));
    }
  }

  private void expire(Pending pending) {
    if (pending.isAnswered()) {
      return;
    }
    boolean unsent = !pending.doubted && queueOf(pending).contains(pending);
    String reason = "the coordinator did not answer in time";
    pending.promise.tryComplete(
        unsent
            ? new Commit.NotCommitted(RefusalCode.COORDINATOR_UNAVAILABLE.because(reason))
            : new Commit.InDoubt(reason));
  }
}

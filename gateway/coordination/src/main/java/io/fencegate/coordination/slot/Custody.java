/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.commit.CommitBatcher;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.MarkRecord;
import io.fencegate.coordination.key.SlotRecord;
import io.fencegate.coordination.key.UnresolvedRecord;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.fence.Unresolved;
import io.fencegate.policy.model.UnresolvedPolicy;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this gateway has on its way, told to whoever owns its resources next. For downstreams that
 * cannot refuse a stale write: there a successor has to know of every write that may still land.
 *
 * <p>Before the first write to a resource leaves, a <em>mark</em> is durable in the coordinator; it
 * names the owner and the lowest token of what may be under way. It is removed when the resource
 * has been idle for {@link #IDLE}, and when the slot is handed over. A mark that a successor finds
 * becomes an <em>unresolved write</em> in one transaction, as does every write whose end nobody
 * saw. Unresolved writes keep newer tokens out, in this gateway through the {@link DrainBarrier},
 * in every later owner because it reads them before its first write.
 *
 * <p>Marking comes before the token is verified, so that the one form of verifying serves all
 * downstreams; being the owner then needs no compare of its own there, since nobody else can own
 * the slot while this session is fresh ({@link SlotOwnership}).
 *
 * <p>At most one transaction on a resource's mark is under way. A transaction in doubt that is
 * committed late changes nothing: each compares the mark's revision.
 *
 * <p>Used from one context.
 */
public final class Custody implements SlotOwnership.Tenants {

  /** How long nothing was under way before a mark is removed. */
  static final Duration IDLE = Duration.ofSeconds(30);

  /** How often marks and unresolved writes are looked through. */
  private static final Duration SWEEP = Duration.ofSeconds(1);

  /** How often it is looked whether what was under way has ended, while a slot is handed over. */
  private static final Duration DRAIN_POLL = Duration.ofMillis(20);

  /** What a transaction that nobody waits for may take. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Forms that one marking tries: each fits what the last one found. */
  private static final int MAX_FORMS = 5;

  private static final int SESSION_CHARS = 8;

  private static final Logger LOG = LoggerFactory.getLogger(Custody.class);

  private final Parts parts;
  private final Map<ResourceName, Kept> resources = new HashMap<>();
  private final UnresolvedBook book;
  private long timer;
  private long lastId;

  /** What it stands on. */
  public record Parts(
      Vertx vertx,
      CoordinationStore store,
      Keyspace keys,
      CommitBatcher commits,
      SlotOwnership slots,
      DrainBarrier barrier,
      Clocks clocks) {}

  /** What is known of one resource under the present tenure of its slot. */
  private static final class Kept {
    @Nullable MarkRecord mark;
    long markRevision;

    /** A mark on its way, which may stand already. */
    @Nullable FencingToken nextLowest;

    @Nullable Future<Ruling<FencingToken>> marking;
    long lastUsedNanos;

    boolean isMarkedFrom(FencingToken token) {
      return mark != null
          && !mark.lowest().isAbove(token)
          && (nextLowest == null || !nextLowest.isAbove(token));
    }
  }

  public Custody(Parts parts) {
    this.parts = parts;
    this.book = new UnresolvedBook(parts);
    parts.slots().serve(this);
  }

  /** Begins to look after marks and unresolved writes. */
  public void start() {
    timer = parts.vertx().setPeriodic(SWEEP.toMillis(), unused -> sweep());
  }

  public void stop() {
    parts.vertx().cancelTimer(timer);
  }

  // ---- before a write

  /** Whether a write with this token may be let in without asking. */
  public boolean admits(ResourceName resource, FencingToken token, ClockReading now) {
    Kept kept = resources.get(resource);
    if (kept == null || !kept.isMarkedFrom(token) || !parts.slots().admits(resource, now)) {
      return false;
    }
    kept.lastUsedNanos = now.monotonicNanos();
    return true;
  }

  /** Whether a write that was let in may still leave. */
  public boolean holds(Permit permit, ClockReading now) {
    Kept kept = resources.get(permit.resource());
    return kept != null
        && kept.isMarkedFrom(permit.token())
        && parts.slots().holds(permit.resource(), now);
  }

  /**
   * Makes sure that a successor would know of a write with this token, and this gateway of what its
   * predecessors left. Waits a little while the resource changes hands. When it is granted, {@link
   * #admits} has to be asked again.
   *
   * @param deadlineNanos monotonic
   */
  public Future<Ruling<FencingToken>> take(
      ResourceName resource, FencingToken token, UnresolvedPolicy policy, long deadlineNanos) {
    return parts.slots().admits(resource, parts.clocks().read())
        ? takeOwned(resource, token, policy, deadlineNanos)
        : parts
            .slots()
            .locate(resource, deadlineNanos)
            .compose(
                found ->
                    found instanceof Whereabouts.Here
                        ? takeOwned(resource, token, policy, deadlineNanos)
                        : Future.succeededFuture(Ruling.refused(notOwned(found))));
  }

  private Future<Ruling<FencingToken>> takeOwned(
      ResourceName resource, FencingToken token, UnresolvedPolicy policy, long deadlineNanos) {
    ClockReading now = parts.clocks().read();
    Kept kept = resources.computeIfAbsent(resource, unused -> new Kept());
    kept.lastUsedNanos = now.monotonicNanos();
    if (kept.marking != null) {
      // Another's: what it comes to says little about this token.
      return kept.marking.transform(unused -> Future.succeededFuture(Ruling.granted(token)));
    }
    return marking(
        kept,
        mark(
            new Marking(resource, kept, token, policy, deadlineNanos, MAX_FORMS),
            kept.markRevision));
  }

  private static Future<Ruling<FencingToken>> marking(
      Kept kept, Future<Ruling<FencingToken>> marking) {
    if (!marking.isComplete()) {
      kept.marking = marking;
      marking.onComplete(
          unused -> {
            kept.marking = null;
            kept.nextLowest = null;
          });
    }
    return marking;
  }

  private static Refusal notOwned(Whereabouts found) {
    return RefusalCode.HANDOVER.because(
        found.fold(
            () -> "the resource has just come here; try again",
            elsewhere -> "the resource is served by the gateway at " + elsewhere.address(),
            Whereabouts.Nowhere::reason));
  }

  private record Marking(
      ResourceName resource,
      Kept kept,
      FencingToken token,
      UnresolvedPolicy policy,
      long deadlineNanos,
      int formsLeft) {
    Marking again() {
      return new Marking(resource, kept, token, policy, deadlineNanos, formsLeft - 1);
    }
  }

  /**
   * The lowest token that may be under way by the time that the mark is there: what has entered,
   * what can enter on what is known locally, and the one that the mark is for.
   */
  private FencingToken lowest(ResourceName resource, FencingToken token) {
    FencingToken entered = parts.barrier().lowestEntered(resource).orElse(token);
    FencingToken epoch = parts.barrier().view(resource).epoch();
    FencingToken lower = lower(entered, token);
    return epoch == null ? lower : lower(epoch, lower);
  }

  private static FencingToken lower(FencingToken one, FencingToken other) {
    return one.isBelow(other) ? one : other;
  }

  /**
   * Puts the mark. Until it is answered nothing enters that either the old or the new one would not
   * cover.
   */
  private Future<Ruling<FencingToken>> mark(Marking call, long seen) {
    MarkRecord mark = new MarkRecord(parts.slots().self(), lowest(call.resource(), call.token()));
    call.kept().nextLowest = mark.lowest();
    return parts
        .commits()
        .submit(
            new MarkTransaction(parts.keys(), call.resource(), mark, seen), call.deadlineNanos())
        .compose(commit -> commit.ruling(judged -> judge(call, mark, judged)))
        .recover(Custody::unavailable)
        .map(ruling -> ruling.fold(Ruling::granted, refusal -> nothingDone(call, refusal)));
  }

  private static Future<Ruling<FencingToken>> unavailable(Throwable failure) {
    return Future.succeededFuture(
        Ruling.refused(
            RefusalCode.COORDINATOR_UNAVAILABLE.because(String.valueOf(failure.getMessage()))));
  }

  /** A mark in doubt is looked at anew the next time. */
  private static Ruling<FencingToken> nothingDone(Marking call, Refusal refusal) {
    call.kept().mark = null;
    call.kept().markRevision = 0;
    return Ruling.refused(refusal.nothingDone());
  }

  private Future<Ruling<FencingToken>> judge(Marking call, MarkRecord mark, Commit.Judged judged) {
    if (!judged.result().held()) {
      return call.formsLeft() == 1
          ? Future.succeededFuture(
              Ruling.refused(
                  RefusalCode.COORDINATOR_UNAVAILABLE.because("the mark keeps changing")))
          : markWhatIsThere(call.again(), mark.session(), judged);
    }
    call.kept().markRevision = judged.revision();
    Optional<Entry> unresolved = judged.result().entry(MarkTransaction.UNRESOLVED);
    return unresolved.filter(it -> !book.knows(call.resource(), it.key())).isEmpty()
        ? marked(call, mark)
        : book.load(call.resource(), call.policy()).compose(unused -> marked(call, mark));
  }

  private static Future<Ruling<FencingToken>> marked(Marking call, MarkRecord mark) {
    call.kept().mark = mark;
    return Future.succeededFuture(Ruling.granted(call.token()));
  }

  private Future<Ruling<FencingToken>> markWhatIsThere(
      Marking call, String self, Commit.Judged found) {
    boolean owned =
        found
            .result()
            .entry(MarkTransaction.SLOT)
            .filter(it -> SlotRecord.decode(it.value()).isOwnedBy(self))
            .isPresent();
    if (!owned) {
      return Future.succeededFuture(
          Ruling.refused(RefusalCode.HANDOVER.because("another gateway has taken the resource")));
    }
    Optional<Entry> there = found.result().entry(MarkTransaction.MARK);
    Optional<MarkRecord> foreign =
        there.map(it -> MarkRecord.decode(it.value())).filter(it -> !it.session().equals(self));
    return foreign.isPresent()
        ? ownerLost(call, self, foreign.get(), there.orElseThrow().modRevision())
        : mark(call, there.map(Entry::modRevision).orElse(0L));
  }

  /** What an owner had on its way that has ended. */
  private Future<Ruling<FencingToken>> ownerLost(
      Marking call, String self, MarkRecord lost, long revision) {
    UnresolvedRecord record =
        new UnresolvedRecord(
            lost.lowest(),
            parts.clocks().read().wallMillis(),
            UnresolvedRecord.Kind.OWNER_LOST,
            "the gateway that had the resource ended, and may have had writes under way");
    LOG.warn(
        "writes to {} from token {} on may still land: their gateway has ended",
        call.resource(),
        lost.lowest());
    return parts
        .commits()
        .submit(
            new UnresolvedTransaction(
                parts.keys(), call.resource(), self, newId("lost"), record, revision),
            call.deadlineNanos())
        .compose(commit -> commit.ruling(judged -> mark(call, 0)));
  }

  private String newId(String kind) {
    String self = parts.slots().self();
    lastId++;
    return kind + "-" + self.substring(0, Math.min(SESSION_CHARS, self.length())) + "-" + lastId;
  }

  // ---- after a write

  /**
   * A write leaves the barrier that may still land.
   *
   * @param settledAtNanos monotonic; from when on it counts as settled, never by itself where empty
   */
  public void unresolved(Permit permit, String reason, OptionalLong settledAtNanos) {
    String id = parts.barrier().unresolved(permit, newId("write"), settledAtNanos);
    book.record(
        permit.resource(),
        id,
        new UnresolvedRecord(
            permit.token(),
            parts.clocks().read().wallMillis(),
            UnresolvedRecord.Kind.WRITE,
            reason));
  }

  // ---- between writes

  private void sweep() {
    ClockReading now = parts.clocks().read();
    book.sweep(now);
    for (Map.Entry<ResourceName, Kept> entry : List.copyOf(resources.entrySet())) {
      ResourceName resource = entry.getKey();
      Kept kept = entry.getValue();
      if (kept.marking != null || !parts.slots().admits(resource, now)) {
        continue;
      }
      if (isIdle(resource, kept, now)) {
        unmark(resource, kept);
      } else {
        raise(resource, kept);
      }
    }
  }

  private boolean isIdle(ResourceName resource, Kept kept, ClockReading now) {
    return !now.isBefore(kept.lastUsedNanos + IDLE.toNanos())
        && parts.barrier().inFlight(resource) == 0
        && book.isDurable(resource);
  }

  /** From here on the next write marks anew, whatever becomes of this. */
  private Future<Void> unmark(ResourceName resource, Kept kept) {
    resources.remove(resource, kept);
    parts.barrier().withdraw(resource, parts.clocks().read());
    if (kept.markRevision == 0) {
      return Future.succeededFuture();
    }
    return parts
        .commits()
        .submit(
            new UnmarkTransaction(parts.keys(), resource, kept.markRevision),
            parts.clocks().read().monotonicNanos() + PATIENCE.toNanos())
        .mapEmpty();
  }

  /**
   * Once nothing older is under way the mark says so, and a successor can let the same token in.
   */
  private void raise(ResourceName resource, Kept kept) {
    FencingToken epoch = parts.barrier().view(resource).epoch();
    MarkRecord mark = kept.mark;
    if (mark == null || epoch == null || !lowest(resource, epoch).isAbove(mark.lowest())) {
      return;
    }
    Marking call =
        new Marking(
            resource,
            kept,
            epoch,
            UnresolvedPolicy.BLOCK,
            parts.clocks().read().monotonicNanos() + PATIENCE.toNanos(),
            1);
    marking(kept, mark(call, kept.markRevision))
        .onFailure(defect -> LOG.error("the mark of {} could not be raised", resource, defect));
  }

  // ---- slots

  @Override
  public Future<Void> leave(int slot) {
    List<ResourceName> inSlot =
        resources.keySet().stream().filter(it -> Slots.of(it) == slot).toList();
    boolean under =
        inSlot.stream()
            .anyMatch(
                it -> {
                  Kept kept = resources.get(it);
                  return parts.barrier().inFlight(it) > 0 || (kept != null && kept.marking != null);
                });
    if (under) {
      return parts
          .vertx()
          .timer(DRAIN_POLL.toMillis(), TimeUnit.MILLISECONDS)
          .compose(unused -> leave(slot));
    }
    List<Future<Void>> unmarked = new ArrayList<>();
    for (ResourceName resource : inSlot) {
      Kept kept = resources.get(resource);
      if (kept != null && book.isDurable(resource)) {
        unmarked.add(unmark(resource, kept));
      }
    }
    return Future.join(unmarked).mapEmpty();
  }

  /** What is known of resources whose slots are gone is void, should they come back. */
  @Override
  public void moved() {
    ClockReading now = parts.clocks().read();
    for (ResourceName resource : List.copyOf(resources.keySet())) {
      if (!parts.slots().owns(resource)) {
        resources.remove(resource);
        parts.barrier().withdraw(resource, now);
      }
    }
    book.forgetForeign();
  }

  @Override
  public void lost() {
    moved();
  }

  // ---- operators

  /** What may still land, in the whole cluster, as far as the coordinator knows it. */
  public Future<List<Listed>> list() {
    return book.list();
  }

  /** Writes that may still land, for people. */
  public record Listed(
      String id, ResourceName resource, UnresolvedRecord record, Optional<Unresolved> here) {}

  /**
   * Somebody who has looked at the downstream says that these can not land any more.
   *
   * @return what was settled thereby; empty where there is nothing with this id
   */
  public Future<Optional<Listed>> resolve(String id) {
    return book.resolve(id);
  }
}

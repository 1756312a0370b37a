/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import io.fencegate.coordination.commit.CommitBatcher;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.MarkRecord;
import io.fencegate.coordination.key.UnresolvedRecord;
import io.fencegate.coordination.store.CoordinationStore;
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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
 * <p>At every moment whatever may still land is covered: by the mark, whose token is not above it,
 * or by a record that is known to be durable. So the mark rises, and goes, only when what is below
 * it has settled or has its record.
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

  /** Between a session and the number of its write. */
  private static final String OF_SESSION = ".";

  private static final Logger LOG = LoggerFactory.getLogger(Custody.class);

  private final Parts parts;
  private final Map<ResourceName, Kept> resources = new HashMap<>();
  private final UnresolvedBook book;

  /** Resources that had writes under way when their slot was lost with its session. */
  private final Set<ResourceName> leftOver = new HashSet<>();

  private final Marker marker;
  private long timer;
  private long lastName;

  /** What it stands on. */
  public record Parts(
      Vertx vertx,
      CoordinationStore store,
      Keyspace keys,
      CommitBatcher commits,
      SlotOwnership slots,
      DrainBarrier barrier,
      Clocks clocks) {}

  public Custody(Parts parts) {
    this.parts = parts;
    this.book = new UnresolvedBook(parts);
    this.marker = new Marker(parts, book);
    parts.slots().serve(this);
  }

  /** Whom to ask about writes whose end nobody saw; set before the first write. */
  public void askBy(DoubtProbe probe) {
    book.askBy(probe);
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
    if (kept == null
        || !kept.isMarkedFrom(token)
        || !isMarkedAsSent(resource, kept)
        || !parts.slots().admits(resource, now)) {
      return false;
    }
    kept.lastUsedNanos = now.monotonicNanos();
    return true;
  }

  /** Nothing goes out without a name under a mark that says that everything has one. */
  private boolean isMarkedAsSent(ResourceName resource, Kept kept) {
    MarkRecord mark = kept.mark;
    return mark == null || !mark.named() || book.probe().canBeAsked(resource);
  }

  /** Whether a write that was let in may still leave. */
  public boolean holds(Permit permit, ClockReading now) {
    Kept kept = resources.get(permit.resource());
    if (kept == null
        || !kept.isMarkedFrom(permit.token())
        || !isMarkedAsSent(permit.resource(), kept)
        || !parts.slots().holds(permit.resource(), now)) {
      return false;
    }
    kept.used = true;
    return true;
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
    kept.policy = policy;
    if (kept.marking != null) {
      // Another's: what it comes to says little about this token.
      return kept.marking.transform(unused -> Future.succeededFuture(Ruling.granted(token)));
    }
    return marker.mark(resource, kept, token, deadlineNanos);
  }

  /**
   * A write with this token was refused before anything of it left. A mark that served for nothing
   * else goes at once: whoever makes tokens up must not leave marks behind.
   */
  public void refused(ResourceName resource) {
    Kept kept = resources.get(resource);
    if (kept != null
        && !kept.used
        && kept.marking == null
        && parts.barrier().inFlight(resource) == 0
        && book.isDurable(resource)) {
      unmark(resource, kept);
    }
  }

  private static Refusal notOwned(Whereabouts found) {
    return RefusalCode.HANDOVER.because(
        found.fold(
            () -> "the resource has just come here; try again",
            elsewhere -> "the resource is served by the gateway at " + elsewhere.address(),
            Whereabouts.Nowhere::reason));
  }

  /** A name for a write that is about to be sent, which no other one ever has. */
  public String newWriteName() {
    lastName++;
    return parts.slots().self() + OF_SESSION + lastName;
  }

  /** Whether it is still this session that the name says. */
  public boolean isOfThisSession(String writeName) {
    return writeName.startsWith(parts.slots().self() + OF_SESSION);
  }

  // ---- after a write

  /**
   * A write leaves the barrier that may still land.
   *
   * @param name by which the downstream can be asked about it; empty where it cannot be
   * @param settledAtNanos monotonic; from when on it counts as settled, never by itself where empty
   */
  public void unresolved(
      Permit permit, String reason, Optional<String> name, OptionalLong settledAtNanos) {
    String id = book.newId("write");
    parts.barrier().unresolved(permit, id, settledAtNanos);
    book.record(
        permit.resource(),
        id,
        new UnresolvedRecord(
            permit.token(),
            parts.clocks().read().wallMillis(),
            Duration.ZERO,
            UnresolvedRecord.Kind.WRITE,
            reason,
            name.map(List::of).orElseGet(List::of)));
  }

  // ---- between writes

  private void sweep() {
    ClockReading now = parts.clocks().read();
    leftOver.removeIf(it -> parts.barrier().inFlight(it) == 0);
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
    if (mark == null || epoch == null || !marker.lowest(resource, epoch).isAbove(mark.lowest())) {
      return;
    }
    long deadlineNanos = parts.clocks().read().monotonicNanos() + PATIENCE.toNanos();
    marker
        .mark(resource, kept, epoch, deadlineNanos)
        .onFailure(defect -> LOG.error("the mark of {} could not be raised", resource, defect));
  }

  // ---- slots

  @Override
  public Future<Void> leave(int slot) {
    leftOver.removeIf(it -> parts.barrier().inFlight(it) == 0);
    List<ResourceName> inSlot =
        Stream.concat(resources.keySet().stream(), leftOver.stream())
            .distinct()
            .filter(it -> Slots.of(it) == slot)
            .toList();
    boolean under =
        inSlot.stream()
            .anyMatch(
                it -> {
                  Kept kept = resources.get(it);
                  return parts.barrier().inFlight(it) > 0
                      || (kept != null && kept.marking != null)
                      || !book.isDurable(it);
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
      if (kept != null) {
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
        if (parts.barrier().inFlight(resource) > 0) {
          leftOver.add(resource);
        }
        parts.barrier().withdraw(resource, now);
      }
    }
    book.forgetForeign();
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

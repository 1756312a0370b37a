/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.fence;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where deciding and going out become one step. {@link #enter} compares the token with everything
 * this gateway knows, registers the write and mints its {@link Permit} without any I/O in between;
 * deciding first and registering after an await would let an older write out behind a newer one.
 *
 * <p>Where the downstream cannot judge tokens itself, the first write of a newer token has to wait
 * until every older one has left; {@link #whenOlderLeft} says when. Where it can, nobody waits
 * here. After any wait, {@link #confirm} repeats all of enter's compares before the first byte goes
 * out. A write that may still land after its time was up is handed over with {@link #unresolved}:
 * it keeps its place before newer tokens, which are refused until it counts as settled.
 *
 * <p>Keyed by resource, independent of policies: reloading a policy forgets nothing. All calls come
 * from the one context that owns the resources; the class has no locks.
 */
public final class DrainBarrier {

  private static final long NANOS_PER_MILLI = 1_000_000L;

  /** What is known and under way for one resource. */
  private static final class Fence {
    @Nullable ClockReading withdrawnAt;
    FenceView view = FenceView.BLANK;
    @Nullable ClockReading confirmedAt;
    @Nullable FencingToken highestEntered;
    final Set<Permit> entered = new LinkedHashSet<>();
    final Queue<Waiter> waiters = new ArrayDeque<>();

    Fence(@Nullable ClockReading withdrawnAt) {
      this.withdrawnAt = withdrawnAt;
    }

    /** Whether something may have happened to the resource since this was asked. */
    boolean withdrawnSince(ClockReading askedAt) {
      return withdrawnAt != null && askedAt.monotonicNanos() - withdrawnAt.monotonicNanos() <= 0;
    }

    boolean hasOlderThan(FencingToken token) {
      return entered.stream().anyMatch(other -> other.token().isBelow(token));
    }

    boolean isIdle(ClockReading now) {
      Verification verification = view.verification();
      return entered.isEmpty()
          && waiters.isEmpty()
          && (verification == null || !now.isBefore(verification.goodUntilNanos()));
    }
  }

  private record Waiter(Permit permit, Runnable proceed) {}

  private final Map<ResourceName, Fence> fences = new HashMap<>();
  private final Doubts doubts = new Doubts();
  private final long clockMarginMillis;
  private @Nullable ClockReading lastReading;
  private @Nullable ClockReading unseenWithdrawnAt;

  /**
   * A barrier that nothing has entered.
   *
   * @param clockMargin by how much the two clocks may move apart between two readings before all
   *     that is known only for a time is void
   */
  public DrainBarrier(Duration clockMargin) {
    this.clockMarginMillis = clockMargin.toMillis();
  }

  /** What is known locally; {@link FenceView#BLANK} for a resource not seen yet. */
  public FenceView view(ResourceName resource) {
    Fence fence = fences.get(resource);
    return fence == null ? FenceView.BLANK : fence.view;
  }

  /**
   * The coordinator confirmed a token. It is an input to the next decision, never a permission.
   *
   * @param askedAt when the request that confirmed it was about to leave
   */
  public void verified(
      ResourceName resource, Verification confirmed, ClockReading askedAt, ClockReading now) {
    observe(now);
    Fence fence = fence(resource);
    fence.view = fence.view.with(confirmed);
    if (confirmed.equals(fence.view.verification())) {
      fence.confirmedAt = askedAt;
    }
    if (now.disagreementMillis(askedAt) > clockMarginMillis || fence.withdrawnSince(askedAt)) {
      fence.view = fence.view.withoutVerification();
    }
  }

  /**
   * The coordinator or the downstream showed that {@code highest} was accepted for the resource.
   */
  public void raised(ResourceName resource, FencingToken highest) {
    Fence fence = fence(resource);
    fence.view = fence.view.raisedTo(highest);
  }

  /**
   * Something happened to the resource's lock: ask again before the next write. Answers to what was
   * asked before now give no permission either.
   */
  public void withdraw(ResourceName resource, ClockReading now) {
    Fence fence = fence(resource);
    fence.view = fence.view.withoutVerification();
    fence.withdrawnAt = now;
  }

  /**
   * Whatever is known only for a time is void until it is confirmed by an answer to something asked
   * after now.
   */
  public void withdrawAll(ClockReading now) {
    fences.keySet().forEach(resource -> withdraw(resource, now));
    unseenWithdrawnAt = now;
  }

  /**
   * An operator shuts out every token below {@code fence}: from now on none of them enters or is
   * confirmed here. The permit is for raising the downstream's epoch to it, and has to leave as
   * every other one.
   */
  public Permit shutOut(ResourceName resource, FencingToken fence, ClockReading now) {
    raised(resource, fence);
    withdraw(resource, now);
    Fence shut = fence(resource);
    if (shut.highestEntered == null || shut.highestEntered.isBelow(fence)) {
      shut.highestEntered = fence;
    }
    Permit permit = new Permit(resource, new WriteHeader(fence, null), false);
    shut.entered.add(permit);
    return permit;
  }

  /**
   * Whether what was confirmed of the resource is more than half spent and ends before {@code
   * neededUntilNanos}: a writer who has renewed its lease since then gets more time by asking anew.
   * Asking each time that half of it is spent is rarer than each time that too little is left of a
   * lease that nobody renews.
   *
   * @param neededUntilNanos monotonic
   */
  public boolean isRunningOut(ResourceName resource, long neededUntilNanos, ClockReading now) {
    Fence fence = fences.get(resource);
    if (fence == null || fence.confirmedAt == null || fence.view.verification() == null) {
      return false;
    }
    long goodUntilNanos = fence.view.verification().goodUntilNanos();
    long spentNanos = now.monotonicNanos() - fence.confirmedAt.monotonicNanos();
    return goodUntilNanos - neededUntilNanos < 0
        && spentNanos > goodUntilNanos - now.monotonicNanos();
  }

  /**
   * Until when the lease that a write was let in with is known to live, where it needs one; asked
   * right after it was {@link #confirm confirmed}.
   *
   * @return monotonic; empty where the write needs no lease
   */
  public OptionalLong leaseUntilNanos(Permit permit) {
    Verification verification = view(permit.resource()).verification();
    return permit.leaseRequired() && verification != null
        ? OptionalLong.of(verification.goodUntilNanos())
        : OptionalLong.empty();
  }

  /** Decides and registers in one step. */
  public Entry enter(
      ResourceName resource, WriteHeader header, boolean leaseRequired, ClockReading now) {
    Permit permit = new Permit(resource, header, leaseRequired);
    return judge(permit, now)
        .fold(
            () -> {
              Fence fence = fence(resource);
              fence.entered.add(permit);
              fence.highestEntered = header.token();
              return new Entry.Entered(permit);
            },
            Entry.VerifyFirst::new,
            Entry.Refused::new);
  }

  /**
   * The second compare: everything {@link #enter} compared, once more. Anything but entered means
   * that the write has left the barrier and those behind it were woken. A permit that has left
   * already is not confirmed: nobody would wait for its write.
   */
  public Entry confirm(Permit permit, ClockReading now) {
    Fence fence = fences.get(permit.resource());
    if (fence == null || !fence.entered.contains(permit)) {
      return new Entry.VerifyFirst();
    }
    Entry verdict =
        judge(permit, now)
            .fold(() -> new Entry.Entered(permit), Entry.VerifyFirst::new, Entry.Refused::new);
    if (!(verdict instanceof Entry.Entered)) {
      leave(permit);
    }
    return verdict;
  }

  /**
   * Runs {@code proceed} once no write with an older token of the same resource is registered; at
   * once where that is so already.
   */
  public void whenOlderLeft(Permit permit, Runnable proceed) {
    Fence fence = fence(permit.resource());
    if (fence.hasOlderThan(permit.token())) {
      fence.waiters.add(new Waiter(permit, proceed));
    } else {
      proceed.run();
    }
  }

  /** The write can no longer land, or has landed: it holds nobody up any more. Idempotent. */
  public void leave(Permit permit) {
    Fence fence = fences.get(permit.resource());
    if (fence == null || !fence.entered.remove(permit)) {
      return;
    }
    List<Waiter> ready = new ArrayList<>();
    fence.waiters.removeIf(waiter -> waiter.permit() == permit);
    fence.waiters.removeIf(
        waiter -> {
          boolean free = !fence.hasOlderThan(waiter.permit().token());
          if (free) {
            ready.add(waiter);
          }
          return free;
        });
    ready.forEach(waiter -> waiter.proceed().run());
  }

  /**
   * The write leaves, but may still land: newer tokens of its resource are refused until it counts
   * as settled, also after the lock has changed hands. A permit that has left already is not
   * registered.
   *
   * @param id a new one; for it and all others of its token
   * @param settledAtNanos monotonic; from when on it counts as settled, never by itself where empty
   */
  public void unresolved(Permit permit, String id, OptionalLong settledAtNanos) {
    Fence fence = fences.get(permit.resource());
    if (fence == null || !fence.entered.contains(permit)) {
      throw new IllegalStateException("not registered: " + permit);
    }
    doubts.add(permit.resource(), permit.token(), id, settledAtNanos);
    leave(permit);
  }

  /** Somebody else had writes under way that may still land. */
  public void doubt(Unresolved unresolved) {
    doubts.add(unresolved);
  }

  /** What may still land of this resource is no longer this gateway's to know. */
  public void forgetUnresolved(ResourceName resource) {
    doubts.forget(resource);
  }

  /** The ids of what may still land of one resource. */
  public Set<String> unresolvedIds(ResourceName resource, ClockReading now) {
    return doubts.ids(resource, now);
  }

  /** Why this write must not go out yet: an older one of its resource may still land. */
  public Optional<Refusal> unresolvedBefore(Permit permit, ClockReading now) {
    return doubts
        .before(permit.resource(), permit.token(), now)
        .map(older -> unresolved(older, now));
  }

  /** Writes of one resource that may still land although nobody waits for them any more. */
  public int unresolved(ResourceName resource, ClockReading now) {
    return doubts.count(resource, now);
  }

  /** All that may still land, resource by resource. */
  public List<Unresolved> unresolved(ClockReading now) {
    return doubts.all(now);
  }

  /**
   * Somebody who has looked at the downstream says that these can not land any more.
   *
   * @return what was settled thereby; empty where nothing with this id is in doubt
   */
  public Optional<Unresolved> resolve(String id, ClockReading now) {
    return doubts.resolve(id, now);
  }

  /** Writes of all resources that have entered and not left. */
  public int inFlight() {
    return fences.values().stream().mapToInt(fence -> fence.entered.size()).sum();
  }

  /** Writes of one resource that have entered and not left. */
  public int inFlight(ResourceName resource) {
    Fence fence = fences.get(resource);
    return fence == null ? 0 : fence.entered.size();
  }

  /** The lowest token that has entered and not left; empty where there is none. */
  public Optional<FencingToken> lowestEntered(ResourceName resource) {
    Fence fence = fences.get(resource);
    return fence == null
        ? Optional.empty()
        : fence.entered.stream().map(Permit::token).min(Comparator.naturalOrder());
  }

  /** The refusal of a token that is known to be stale without asking anybody. */
  public Optional<Refusal> staleHere(ResourceName resource, FencingToken token) {
    FencingToken epoch = view(resource).epoch();
    return epoch != null && token.isBelow(epoch)
        ? Optional.of(FencingRules.stale(token, epoch))
        : Optional.empty();
  }

  /**
   * An operator has reset the resource's epoch: forgets it, unless a write is under way.
   *
   * @return whether it is forgotten
   */
  public boolean forget(ResourceName resource, ClockReading now) {
    if (inFlight(resource) > 0) {
      return false;
    }
    fences.remove(resource);
    unseenWithdrawnAt = now;
    return true;
  }

  /** Resources that something is known of. */
  int resources() {
    return fences.size();
  }

  /**
   * Forgets resources with nothing under way and nothing confirmed. Safe, because a resource that
   * is not known is verified with the coordinator on its next write, and an answer that was asked
   * before the forgetting gives no permission: a newer token may have entered in between.
   */
  public void forgetIdle(ClockReading now) {
    if (fences.values().removeIf(fence -> fence.isIdle(now))) {
      unseenWithdrawnAt = now;
    }
  }

  private Decision judge(Permit permit, ClockReading now) {
    observe(now);
    Fence fence = fences.get(permit.resource());
    if (fence != null
        && fence.highestEntered != null
        && permit.token().isBelow(fence.highestEntered)) {
      return new Decision.Refuse(stale(permit, fence.highestEntered));
    }
    FenceView view = fence == null ? FenceView.BLANK : fence.view;
    Decision decision = FencingRules.decide(view, permit.header(), permit.leaseRequired(), now);
    return decision instanceof Decision.Enter
        ? unresolvedBefore(permit, now).<Decision>map(Decision.Refuse::new).orElse(decision)
        : decision;
  }

  private static Refusal unresolved(Unresolved older, ClockReading now) {
    Refusal refusal =
        RefusalCode.PREDECESSOR_UNRESOLVED.because(
            "a write with token " + older.token() + " may still land; newer tokens have to wait");
    return older.settledAtNanos().isPresent()
        ? refusal.retryAfter(
            (older.settledAtNanos().getAsLong() - now.monotonicNanos()) / NANOS_PER_MILLI + 1)
        : refusal;
  }

  private static Refusal stale(Permit permit, FencingToken highest) {
    return FencingRules.stale(permit.token(), highest);
  }

  /** A machine that was frozen or moved shows as clocks that moved differently. */
  private void observe(ClockReading now) {
    if (lastReading != null && now.disagreementMillis(lastReading) > clockMarginMillis) {
      withdrawAll(now);
    }
    lastReading = now;
  }

  private Fence fence(ResourceName resource) {
    return fences.computeIfAbsent(resource, unseen -> new Fence(unseenWithdrawnAt));
  }
}

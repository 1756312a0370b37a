/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.key.Attempt;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * All calls of this gateway that wait, by lock. Lets calls in, and passes what happens on to the
 * line that it concerns.
 */
final class WaitQueue implements QueueChanges {

  /** Hint to a caller for whom the queue is too long. */
  private static final long RETRY_HINT_MILLIS = 1_000;

  private final Desk desk;
  private final CoordinationStore store;
  private final Map<ResourceName, Line> lines = new HashMap<>();

  /** By their place: calls that may wait and do not yet, so that a cancel finds them too. */
  private final Map<Key, Set<Waiter>> arriving = new HashMap<>();

  private boolean draining;

  WaitQueue(Desk desk, CoordinationStore store) {
    this.desk = desk;
    this.store = store;
  }

  /**
   * How many wait for a lock, whichever gateways they came through; at most {@value
   * WaitTerms#MOST_WAITERS}.
   */
  Future<Integer> count(ResourceName resource) {
    return store
        .range(desk.keys().places(resource), WaitTerms.MOST_WAITERS)
        .map(page -> page.entries().size());
  }

  /** Calls that wait through this gateway. */
  int waiting() {
    return lines.values().stream().mapToInt(line -> line.waiters().size()).sum();
  }

  /** The same of the one lock with the most. */
  int longest() {
    return lines.values().stream().mapToInt(line -> line.waiters().size()).max().orElse(0);
  }

  /**
   * Registers a call, before it puts an entry of its own, so that it misses nothing that happens
   * after. Calls through this gateway are counted exactly; those that reach other gateways at the
   * same moment may go beyond the bound.
   *
   * @return why it may not wait, if it may not
   */
  Future<Optional<Refusal>> admit(Waiter waiter) {
    if (line(waiter.resource()).has(waiter)) {
      return Future.succeededFuture(Optional.empty());
    }
    WaitTerms terms = waiter.terms();
    Optional<Refusal> objection =
        draining ? Optional.of(stopping()) : new Census(waiter, List.of()).objection();
    if (objection.isPresent()) {
      return Future.succeededFuture(objection);
    }
    register(waiter);
    return store
        .range(desk.keys().places(waiter.resource()), terms.maxWaiters())
        .map(page -> new Census(waiter, page.entries()).objection())
        .otherwise(
            failure ->
                Optional.of(
                    RefusalCode.COORDINATOR_UNAVAILABLE.because(
                        String.valueOf(failure.getMessage()))));
  }

  /** Registers a call that takes over a place which has been counted. */
  Optional<Refusal> admitRepeat(Waiter waiter) {
    if (draining) {
      return Optional.of(stopping());
    }
    register(waiter);
    return Optional.empty();
  }

  private static Refusal stopping() {
    return RefusalCode.DRAINING.because("this gateway is shutting down");
  }

  /** The line of a lock; one that nobody is in where this gateway has none. */
  Line line(ResourceName resource) {
    return lines.getOrDefault(resource, new Line());
  }

  /** A call that may have to wait has come. */
  void arrives(Waiter waiter) {
    arriving.computeIfAbsent(waiter.place(), unused -> new LinkedHashSet<>()).add(waiter);
  }

  private void hasArrived(Waiter waiter) {
    Set<Waiter> same = arriving.get(waiter.place());
    if (same != null && same.remove(waiter) && same.isEmpty()) {
      arriving.remove(waiter.place());
    }
  }

  private void register(Waiter waiter) {
    hasArrived(waiter);
    lines.computeIfAbsent(waiter.resource(), unused -> new Line()).add(waiter);
  }

  void leave(Waiter waiter) {
    hasArrived(waiter);
    Line line = lines.get(waiter.resource());
    if (line != null) {
      line.remove(waiter);
      if (line.isEmpty()) {
        lines.remove(waiter.resource(), line);
      }
    }
  }

  void superseded(Waiter by, Attempt earlier) {
    onLine(by.resource(), line -> line.superseded(by.place(), earlier));
  }

  /** Ends the waits of a request that was cancelled, also of one that is only on its way in. */
  void cancelled(ResourceName resource, Key place) {
    List<Waiter> cancelled = new ArrayList<>(arriving.getOrDefault(place, Set.of()));
    onLine(
        resource,
        line ->
            line.waiters().stream()
                .filter(waiter -> waiter.place().equals(place))
                .forEach(cancelled::add));
    cancelled.forEach(waiter -> waiter.handle(new WaitEvent.Ended(WaitEnd.CANCELLED)));
  }

  /** Ends every wait, and lets nobody wait any more. */
  void drain() {
    draining = true;
    endAll(WaitEnd.DRAINING);
  }

  /** Ends every wait. */
  void endAll(WaitEnd why) {
    List.copyOf(lines.values())
        .forEach(line -> line.waiters().forEach(waiter -> waiter.handle(new WaitEvent.Ended(why))));
  }

  @Override
  public void lockDeleted(ResourceName resource, long revision) {
    onLine(resource, line -> line.lockDeleted(revision));
  }

  @Override
  public void placeDeleted(ResourceName resource, Key place, long revision) {
    onLine(resource, line -> line.placeDeleted(place, revision));
  }

  @Override
  public void missedUpTo(long revision) {
    List.copyOf(lines.values()).forEach(line -> line.missedUpTo(revision));
  }

  private void onLine(ResourceName resource, Consumer<Line> work) {
    Line line = lines.get(resource);
    if (line != null) {
      work.accept(line);
    }
  }

  /**
   * Who is before a call: this gateway's own as registered, others' as the coordinator has them.
   */
  private final class Census {
    private final Waiter waiter;
    private final List<Waiter> before;
    private final List<Key> elsewhere;

    Census(Waiter waiter, List<Entry> entries) {
      this.waiter = waiter;
      List<Waiter> here = line(waiter.resource()).waiters();
      this.before = here.stream().takeWhile(other -> other != waiter).toList();
      Set<Key> known = here.stream().map(Waiter::place).collect(Collectors.toSet());
      this.elsewhere =
          entries.stream().map(Entry::key).filter(place -> !known.contains(place)).toList();
    }

    Optional<Refusal> objection() {
      WaitTerms terms = waiter.terms();
      int all = before.size() + elsewhere.size();
      if (all >= terms.maxWaiters()) {
        return Optional.of(tooMany(all + " are waiting for the lock", terms.maxWaiters()));
      }
      long own = before.stream().filter(this::isOwn).count() + ownElsewhere();
      return own < terms.maxWaitersOfPrincipal()
          ? Optional.empty()
          : Optional.of(
              tooMany(own + " of this caller are waiting", terms.maxWaitersOfPrincipal()));
    }

    private boolean isOwn(Waiter other) {
      return desk.keys().isPlaceOf(other.place(), waiter.resource(), waiter.principal());
    }

    private long ownElsewhere() {
      return elsewhere.stream()
          .filter(place -> desk.keys().isPlaceOf(place, waiter.resource(), waiter.principal()))
          .count();
    }

    private static Refusal tooMany(String found, int most) {
      return RefusalCode.TOO_MANY_WAITERS
          .because(found + ", the policy allows " + most)
          .retryAfter(RETRY_HINT_MILLIS);
    }
  }
}

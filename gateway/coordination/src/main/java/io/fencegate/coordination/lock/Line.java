/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.key.Attempt;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The calls of this gateway that wait for one lock. Of all of them only the first in the queue ever
 * tries to take it, and only when that can have another outcome than the last time.
 */
final class Line {

  private final Set<Waiter> waiters = new LinkedHashSet<>();
  private LineSight sight = LineSight.NONE;

  /** In the order in which they came. */
  List<Waiter> waiters() {
    return List.copyOf(waiters);
  }

  void add(Waiter waiter) {
    waiters.add(waiter);
  }

  boolean has(Waiter waiter) {
    return waiters.contains(waiter);
  }

  void remove(Waiter waiter) {
    waiters.remove(waiter);
    // Its last answer may have said that the lock is free and the next one first.
    nudgeFirst();
  }

  boolean isEmpty() {
    return waiters.isEmpty();
  }

  /** A transaction of this gateway has read lock and head. */
  void saw(long revision, boolean held, Optional<Entry> head) {
    sight = sight.saw(revision, held, head.map(Entry::key));
  }

  /** A call of this gateway was granted the lock. */
  void granted(long revision) {
    sight = sight.saw(revision, true, Optional.empty());
  }

  void lockDeleted(long revision) {
    sight = sight.lockDeleted(revision);
    nudgeFirst();
  }

  /** A place is free: whoever thinks that it is in it has to look. */
  void placeDeleted(Key place, long revision) {
    sight = sight.placeDeleted(revision);
    waiters().stream()
        .filter(waiter -> waiter.place().equals(place))
        .forEach(waiter -> waiter.handle(WaitEvent.Plain.DUE));
    nudgeFirst();
  }

  void missedUpTo(long revision) {
    sight = sight.lockDeleted(revision).placeDeleted(revision);
    nudgeFirst();
  }

  /** A later call of the same request has taken over the place of this attempt. */
  void superseded(Key place, Attempt earlier) {
    waiters().stream()
        .filter(waiter -> waiter.place().equals(place) && waiter.attempt().equals(earlier))
        .forEach(waiter -> waiter.handle(WaitEvent.Plain.SUPERSEDED));
  }

  /** Whether it may be this place's turn, after an answer that only looked around. */
  boolean mayTry(Key place) {
    return sight.isFreeFor(place) || sight.isOutdatedFor(place);
  }

  /** Whether it may be this place's turn, after it has just tried and failed. */
  boolean mayTryAgain(Key place) {
    return sight.isOutdatedFor(place);
  }

  private void nudgeFirst() {
    waiters.stream()
        .filter(Waiter::isInLine)
        .min(Comparator.comparingLong(Waiter::number))
        .filter(first -> mayTry(first.place()))
        .ifPresent(first -> first.handle(WaitEvent.Plain.NUDGED));
  }
}

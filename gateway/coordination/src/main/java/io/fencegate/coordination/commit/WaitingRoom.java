/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Where transactions wait for a batch. Renewals leave in the order in which what they renew runs
 * out, all others in the order in which they came. So after a pause the locks closest to their end
 * are saved first.
 *
 * <p>Nobody starves: while both kinds wait, each has half of a batch; renewals that are about to be
 * late may take more, but never the last {@link #OTHERS_SHARE}.
 *
 * <p>Of each {@linkplain Transaction#lane() lane} only the first one stands in these queues, the
 * rest behind it: two of one lane never share a batch, and a resource that many ask for holds up
 * nobody else.
 */
final class WaitingRoom {

  /** A renewal is about to be late when what it renews has so little left. */
  private static final Duration LATE = Duration.ofSeconds(2);

  /**
   * Of every so many places in a batch, one is for others than renewals even when those are late.
   */
  private static final int OTHERS_SHARE = 10;

  private final NavigableSet<Pending> renewals = new TreeSet<>(Pending::byExpiry);
  private final Deque<Pending> others = new ArrayDeque<>();

  /** Whoever stands behind the first one of a lane. */
  private final Map<Object, Deque<Pending>> lanes = new HashMap<>();

  private int size;

  int size() {
    return size;
  }

  /** How many could leave at once: one per lane. */
  int ready() {
    return renewals.size() + others.size();
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** How many of a lane wait. */
  int waitingFor(Object lane) {
    Deque<Pending> behind = lanes.get(lane);
    return behind == null ? 0 : 1 + behind.size();
  }

  void add(Pending pending) {
    Deque<Pending> lane = lanes.get(pending.transaction().lane());
    if (lane == null) {
      lanes.put(pending.transaction().lane(), new ArrayDeque<>(0));
      line(pending);
    } else {
      lane.addLast(pending);
    }
    size++;
  }

  /** Puts back, in front of all others, what was taken and could not leave. */
  void putBack(List<Pending> taken) {
    for (int i = taken.size() - 1; i >= 0; i--) {
      Pending pending = taken.get(i);
      Deque<Pending> lane = lanes.get(pending.transaction().lane());
      if (lane != null) {
        lane.addFirst(pending);
      } else {
        lanes.put(pending.transaction().lane(), new ArrayDeque<>(0));
        if (pending.isRenewal()) {
          renewals.add(pending);
        } else {
          others.addFirst(pending);
        }
      }
      size++;
    }
  }

  private void line(Pending pending) {
    if (pending.isRenewal()) {
      renewals.add(pending);
    } else {
      others.addLast(pending);
    }
  }

  /** Forgets one that need not leave any more; false where it does not wait here. */
  boolean remove(Pending pending) {
    Object name = pending.transaction().lane();
    Deque<Pending> lane = lanes.get(name);
    if (lane == null) {
      return false;
    }
    boolean first = pending.isRenewal() ? renewals.remove(pending) : others.remove(pending);
    if (first) {
      promote(name);
    }
    boolean found = first || lane.remove(pending);
    if (found) {
      size--;
    }
    return found;
  }

  /** All of them, in no particular order. */
  List<Pending> takeAll() {
    List<Pending> all = new ArrayList<>(renewals);
    all.addAll(others);
    lanes.values().forEach(all::addAll);
    renewals.clear();
    others.clear();
    lanes.clear();
    size = 0;
    return all;
  }

  /**
   * The next ones, at most {@code most} and one per lane.
   *
   * @param nowNanos monotonic
   */
  List<Pending> take(int most, long nowNanos) {
    List<Pending> taken = new ArrayList<>(Math.min(most, size));
    int half = Math.max(most / 2, most - others.size());
    int limit = most - Math.min(others.size(), Math.max(1, most / OTHERS_SHARE));
    while (!renewals.isEmpty()
        && (taken.size() < half
            || (taken.size() < limit
                && renewals.first().isRenewalBefore(nowNanos + LATE.toNanos())))) {
      taken.add(removeFirst(renewals));
    }
    while (taken.size() < most && !others.isEmpty()) {
      taken.add(others.removeFirst());
    }
    size -= taken.size();
    // Only now that the batch is complete may the next of each lane stand in the queues.
    taken.forEach(pending -> promote(pending.transaction().lane()));
    return taken;
  }

  private static Pending removeFirst(NavigableSet<Pending> queue) {
    Pending first = queue.first();
    queue.remove(first);
    return first;
  }

  private void promote(Object name) {
    Deque<Pending> lane = lanes.get(name);
    Pending next = lane == null ? null : lane.pollFirst();
    if (next == null) {
      lanes.remove(name);
    } else {
      line(next);
    }
  }
}

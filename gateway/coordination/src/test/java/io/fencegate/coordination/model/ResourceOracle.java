/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.model;

import io.fencegate.coordination.model.Observed.Kind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * All that may be true of one resource, after everything that was seen. Calls without an answer
 * keep both possibilities; an answer that fits none of them is wrong.
 */
final class ResourceOracle {

  /** More cannot come from sequences of this length; it would only make the test slow. */
  private static final int MAX_STATES = 5_000;

  /** How long a place outlives its gateway at most: its class, a bucket's second, and some more. */
  private static final Duration PLACE = Duration.ofSeconds(15);

  private final int resource;
  private final Transitions transitions;
  private final Map<Long, String> leases = new HashMap<>();
  private Set<State> states = Set.of(State.FIRST);
  private long queueGoneBy = Long.MIN_VALUE;

  ResourceOracle(int resource, Duration lateness) {
    this.resource = resource;
    this.transitions = new Transitions(lateness);
  }

  /** Whether a waiter that nobody answered may still have its place in the queue. */
  boolean mayBeQueued(long now) {
    return queueGoneBy > now;
  }

  /** Calls that were made at once: some order of them explains all answers. */
  void observe(List<Observed> calls) {
    calls.forEach(this::rememberLease);
    long from = calls.get(0).from();
    long to = calls.get(0).to();
    Set<State> next = explain(states, calls, from, to);
    if (next.isEmpty()) {
      throw new AssertionError("r" + resource + ": no way to " + calls + " from " + describe());
    }
    if (next.size() > MAX_STATES) {
      throw new IllegalStateException(next.size() + " possible states");
    }
    states = next;
    for (Observed seen : calls) {
      if (seen.call().what() == Call.What.WAIT && seen.answer().kind() == Kind.UNKNOWN) {
        queueGoneBy = Math.max(queueGoneBy, to + PLACE.toNanos());
      }
    }
  }

  private void rememberLease(Observed seen) {
    if (seen.answer().kind() == Kind.GRANTED) {
      String lease = leases.putIfAbsent(seen.answer().token(), seen.answer().lease());
      if (lease != null && !lease.equals(seen.answer().lease())) {
        throw new AssertionError("r" + resource + ": one token, two leases: " + seen);
      }
    }
  }

  private Set<State> explain(Set<State> before, List<Observed> calls, long from, long to) {
    Set<State> reachable = withMaybes(before, from, to);
    if (calls.isEmpty()) {
      return reachable;
    }
    Set<State> all = new LinkedHashSet<>();
    for (int i = 0; i < calls.size(); i++) {
      List<Observed> rest = new ArrayList<>(calls);
      Observed first = rest.remove(i);
      Set<State> after = new LinkedHashSet<>();
      reachable.forEach(state -> after.addAll(transitions.after(state, first)));
      if (!after.isEmpty()) {
        all.addAll(explain(after, rest, from, to));
      }
    }
    return all;
  }

  /** The states, and those where some of what may be done is done. */
  private Set<State> withMaybes(Set<State> before, long from, long to) {
    Set<State> all = new LinkedHashSet<>(before);
    Deque<State> open = new ArrayDeque<>(before);
    while (!open.isEmpty()) {
      State state = open.remove();
      for (Observed maybe : state.maybes()) {
        for (State next : transitions.done(state, maybe, from, to)) {
          if (all.add(next)) {
            open.add(next);
          }
        }
      }
    }
    return all;
  }

  /** Nothing is on its way any more: what was not done by now never will be. */
  void settle(long from, long to) {
    states =
        withMaybes(states, from, to).stream()
            .map(State::settled)
            .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  void raiseGeneration(long from, long to) {
    settle(from, to);
    states =
        states.stream()
            .map(State::inNextGeneration)
            .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** Until when the lock is certainly held; {@code now} where it need not be. */
  long sureUntil(long now) {
    return latest(now, hold -> hold.span().sureUntil());
  }

  long goneBy(long now) {
    return latest(now, hold -> hold.span().goneBy());
  }

  private long latest(long now, ToLongFunction<State.Hold> end) {
    return states.stream()
        .flatMap(state -> state.hold().stream())
        .mapToLong(end)
        .reduce(now, Math::max);
  }

  private String describe() {
    return states.stream().limit(4).map(State::toString).collect(Collectors.joining("\n  or "))
        + (states.size() > 4 ? " or " + (states.size() - 4) + " more" : "");
  }
}

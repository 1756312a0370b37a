/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.model;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One thing that may be true of a resource.
 *
 * @param firsts by request: what it was granted first, for as long as that is remembered
 * @param highest token that was granted
 * @param maybes calls without an answer that may still be done
 */
record State(
    int generation,
    Optional<Hold> hold,
    Map<Integer, First> firsts,
    long highest,
    Set<Observed> maybes) {

  static final State FIRST = new State(0, Optional.empty(), Map.of(), 0, Set.of());

  State {
    firsts = Map.copyOf(firsts);
    maybes = Set.copyOf(maybes);
  }

  /** A grant; 0 and empty are what nobody has learned yet. */
  record Grant(int request, int generation, long token, String lease) {
    boolean isKnown() {
      return token > 0;
    }

    @Override
    public String toString() {
      return "held by request "
          + request
          + (isKnown() ? " with token " + token + " [" + lease + "]" : " in doubt");
    }
  }

  /** How long something is there: certainly until, certainly not after; monotonic nanoseconds. */
  record Span(long sureUntil, long goneBy) {

    boolean mayBeGone(long now) {
      return sureUntil - now <= 0;
    }

    boolean isGone(long now) {
      return goneBy - now <= 0;
    }

    Span sureFor(long from, long nanos) {
      return new Span(Math.max(sureUntil, from + nanos), goneBy);
    }

    Span goneNotBefore(long end) {
      return new Span(sureUntil, Math.max(goneBy, end));
    }
  }

  record Hold(Grant grant, Span span) {}

  /**
   * The first result of a request.
   *
   * @param above its token is higher than this one
   */
  record First(Grant grant, boolean changed, long above, Span span) {}

  /** This state where the hold has not run out, and where it has, as far as either can be. */
  List<State> byHold(long from, long to) {
    if (hold.isEmpty()) {
      return List.of(this);
    }
    Span span = hold.get().span();
    if (span.isGone(from)) {
      return List.of(freed());
    }
    return span.mayBeGone(to) ? List.of(this, freed()) : List.of(this);
  }

  /** This state where the request is remembered, and where it is forgotten. */
  List<State> byMemory(int request, long from, long to) {
    First first = firsts.get(request);
    if (first == null) {
      return List.of(this);
    }
    if (first.span().isGone(from)) {
      return List.of(forgotten(request));
    }
    return first.span().mayBeGone(to) ? List.of(this, forgotten(request)) : List.of(this);
  }

  private State forgotten(int request) {
    Map<Integer, First> rest = new HashMap<>(firsts);
    rest.remove(request);
    return new State(generation, hold, rest, highest, maybes);
  }

  State freed() {
    return new State(generation, Optional.empty(), firsts, highest, maybes);
  }

  State held(Hold by) {
    return new State(generation, Optional.of(by), firsts, highest, maybes);
  }

  State remembering(First first) {
    Map<Integer, First> all = new HashMap<>(firsts);
    all.put(first.grant().request(), first);
    return new State(generation, hold, all, Math.max(highest, first.grant().token()), maybes);
  }

  State withMaybe(Observed call) {
    Set<Observed> all = new HashSet<>(maybes);
    all.add(call);
    return new State(generation, hold, firsts, highest, all);
  }

  State withoutMaybe(Observed call) {
    Set<Observed> rest = new HashSet<>(maybes);
    rest.remove(call);
    return new State(generation, hold, firsts, highest, rest);
  }

  State settled() {
    return new State(generation, hold, firsts, highest, Set.of());
  }

  State inNextGeneration() {
    return new State(generation + 1, hold, firsts, highest, maybes);
  }

  /** Whether the grant holds the lock and counts: it is of the present generation. */
  boolean isOwner(Grant grant) {
    return grant.generation() == generation
        && hold.filter(it -> it.grant().equals(grant)).isPresent();
  }

  boolean isOwner(String lease) {
    return hold.filter(it -> it.grant().lease().equals(lease) && isOwner(it.grant())).isPresent();
  }

  /** What matters for most failures; times say nothing to people. */
  @Override
  public String toString() {
    String holder =
        hold.map(it -> it.grant() + (isOwner(it.grant()) ? "" : " of an older generation"))
            .orElse("free");
    return holder + ", highest token " + highest + (maybes.isEmpty() ? "" : ", perhaps " + maybes);
  }
}

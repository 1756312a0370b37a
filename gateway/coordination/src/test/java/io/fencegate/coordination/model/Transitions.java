/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.model;

import io.fencegate.coordination.model.Observed.Answer;
import io.fencegate.coordination.model.Observed.Kind;
import io.fencegate.coordination.model.State.First;
import io.fencegate.coordination.model.State.Grant;
import io.fencegate.coordination.model.State.Hold;
import io.fencegate.coordination.model.State.Span;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a lock with fencing tokens does: every state that one call with its answer may lead to.
 * Written from what the interface promises, and with nothing of the product in it.
 *
 * @param lateness by how much a lease or a record may outlive its time
 */
record Transitions(Duration lateness) {

  /** How long a repeated request gets its first result. */
  static final Duration MEMORY = Duration.ofSeconds(60);

  /**
   * A repeat on another gateway may know a lease's time only in whole seconds, and then says less.
   */
  private static final Duration COARSENESS = Duration.ofMillis(1_500);

  private static final int REVISION_BITS = 44;

  /** No state: the answer cannot be. */
  List<State> after(State state, Observed seen) {
    return switch (seen.answer().kind()) {
      case UNKNOWN -> List.of(inDoubt(state, seen));
      case NOT_DONE -> List.of(state);
      default ->
          switch (seen.call().what()) {
            case ACQUIRE, WAIT -> acquired(state, seen);
            case RENEW -> each(state, seen, it -> renewed(it, seen));
            case RELEASE -> each(state, seen, it -> released(it, seen));
            case VERIFY -> each(state, seen, it -> verified(it, seen));
            case SHOW -> each(state, seen, it -> shown(it, seen));
          };
    };
  }

  private static List<State> each(
      State state, Observed seen, Function<State, Optional<State>> step) {
    return state.byHold(seen.from(), seen.to()).stream()
        .flatMap(choice -> step.apply(choice).stream())
        .toList();
  }

  private static Optional<State> only(boolean possible, State next) {
    return possible ? Optional.of(next) : Optional.empty();
  }

  private List<State> acquired(State state, Observed seen) {
    int request = seen.call().which();
    List<State> next = new ArrayList<>();
    for (State memory : state.byMemory(request, seen.from(), seen.to())) {
      First first = memory.firsts().get(request);
      for (State choice : memory.byHold(seen.from(), seen.to())) {
        (first == null ? acquiredNew(choice, seen) : repeated(choice, first, seen))
            .ifPresent(next::add);
      }
    }
    return next;
  }

  private Optional<State> acquiredNew(State state, Observed seen) {
    Answer answer = seen.answer();
    if (answer.kind() == Kind.WAITED || answer.kind() == Kind.LOST) {
      return only(seen.call().what() == Call.What.WAIT, state);
    }
    if (answer.kind() == Kind.REQUEST_ID_REUSED) {
      // A place in the queue remembers what it asks for, like a grant.
      return only(seen.queued(), state);
    }
    if (state.hold().isPresent() || (answer.kind() == Kind.HELD && seen.queued())) {
      return only(answer.kind() == Kind.HELD, state);
    }
    boolean possible =
        answer.kind() == Kind.GRANTED
            && answer.token() > state.highest()
            && answer.token() >>> REVISION_BITS == state.generation()
            && answer.remainingMillis() > 0;
    Grant grant =
        new Grant(seen.call().which(), state.generation(), answer.token(), answer.lease());
    return only(possible, granted(state, seen, grant));
  }

  private State granted(State state, Observed seen, Grant grant) {
    long sure = seen.from() + Duration.ofMillis(seen.answer().remainingMillis()).toNanos();
    Hold hold = new Hold(grant, new Span(sure, gone(seen, ttl(grant))));
    boolean known = grant.isKnown();
    Span memory =
        new Span(known ? seen.from() + MEMORY.toNanos() : seen.from(), gone(seen, MEMORY));
    return state
        .held(hold)
        .remembering(new First(grant, seen.call().changed(), state.highest(), memory));
  }

  private static Duration ttl(Grant grant) {
    Call any = new Call(Call.What.ACQUIRE, 0, grant.request(), 0, false, false);
    return Duration.ofSeconds(any.ttlSeconds());
  }

  private long gone(Observed seen, Duration ttl) {
    return seen.to() + ttl.plus(lateness).toNanos();
  }

  private static Optional<State> repeated(State state, First first, Observed seen) {
    Answer answer = seen.answer();
    if (first.changed() != seen.call().changed()) {
      return only(answer.kind() == Kind.REQUEST_ID_REUSED, state);
    }
    boolean same =
        first.grant().isKnown()
            ? answer.token() == first.grant().token()
                && answer.lease().equals(first.grant().lease())
            : answer.token() > first.above();
    if (answer.kind() != Kind.GRANTED || !same) {
      return Optional.empty();
    }
    return remaining(first.grant().isKnown() ? state : learned(state, first, answer), seen);
  }

  private static State learned(State state, First first, Answer answer) {
    Grant grant =
        new Grant(
            first.grant().request(), first.grant().generation(), answer.token(), answer.lease());
    State known = state.remembering(new First(grant, first.changed(), first.above(), first.span()));
    return state
        .hold()
        .filter(hold -> hold.grant().equals(first.grant()))
        .map(hold -> known.held(new Hold(grant, hold.span())))
        .orElse(known);
  }

  /** What is said of the lease's time agrees with who holds the lock, and is kept. */
  private static Optional<State> remaining(State state, Observed seen) {
    Answer answer = seen.answer();
    if (!state.isOwner(answer.lease())) {
      return only(answer.remainingMillis() == 0, state);
    }
    Hold hold = state.hold().orElseThrow();
    if (answer.remainingMillis() == 0) {
      return only(hold.span().mayBeGone(seen.to() + COARSENESS.toNanos()), state);
    }
    return Optional.of(state.held(new Hold(hold.grant(), promised(hold, seen))));
  }

  private static Span promised(Hold hold, Observed seen) {
    return hold.span()
        .sureFor(seen.from(), Duration.ofMillis(seen.answer().remainingMillis()).toNanos());
  }

  private Optional<State> renewed(State state, Observed seen) {
    Answer answer = seen.answer();
    if (!state.isOwner(seen.lease())) {
      return only(answer.kind() == Kind.LOST, state);
    }
    Hold hold = state.hold().orElseThrow();
    Span span = promised(hold, seen).goneNotBefore(gone(seen, ttl(hold.grant())));
    return only(
        answer.kind() == Kind.RENEWED
            && answer.token() == hold.grant().token()
            && answer.remainingMillis() > 0,
        state.held(new Hold(hold.grant(), span)));
  }

  /**
   * After a lost reply a release cannot tell what it did itself: a lock that is free counts as
   * released by it, one that somebody else has taken since as not held.
   */
  private static Optional<State> released(State state, Observed seen) {
    Kind kind = seen.answer().kind();
    if (state.isOwner(seen.lease())) {
      return only(
          kind == Kind.RELEASED || (seen.troubled() && kind == Kind.NOT_HELD), state.freed());
    }
    if (state.hold().isPresent()) {
      return only(kind == Kind.NOT_HELD, state);
    }
    return only(kind == Kind.ALREADY_RELEASED || (seen.troubled() && kind == Kind.RELEASED), state);
  }

  private static Optional<State> verified(State state, Observed seen) {
    Kind expected = state.isOwner(seen.lease()) ? Kind.VERIFIED : Kind.STALE;
    return only(seen.answer().kind() == expected, state);
  }

  private static Optional<State> shown(State state, Observed seen) {
    Answer answer = seen.answer();
    if (state.hold().isEmpty()) {
      return only(answer.kind() == Kind.SHOWN_FREE, state);
    }
    Hold hold = state.hold().get();
    boolean same = !hold.grant().isKnown() || hold.grant().token() == answer.token();
    return only(
        answer.kind() == Kind.SHOWN_HELD && same,
        state.held(new Hold(hold.grant(), promised(hold, seen))));
  }

  /** Not known to be done: an acquire or release may still be; a renewal may have been. */
  private State inDoubt(State state, Observed seen) {
    return switch (seen.call().what()) {
      case ACQUIRE, WAIT, RELEASE -> state.withMaybe(seen);
      case RENEW ->
          state
              .hold()
              .filter(hold -> hold.grant().lease().equals(seen.lease()))
              .map(
                  hold ->
                      state.held(
                          new Hold(
                              hold.grant(),
                              hold.span().goneNotBefore(gone(seen, ttl(hold.grant()))))))
              .orElse(state);
      case VERIFY, SHOW -> state;
    };
  }

  /** The states where a call without an answer is done now; none where it can do nothing. */
  List<State> done(State before, Observed maybe, long from, long to) {
    State state = before.withoutMaybe(maybe);
    List<State> next = new ArrayList<>();
    int request = maybe.call().which();
    for (State memory : state.byMemory(request, from, to)) {
      for (State choice : memory.byHold(from, to)) {
        if (maybe.call().what() == Call.What.RELEASE) {
          if (choice.isOwner(maybe.lease())) {
            next.add(choice.freed());
          }
        } else if (choice.hold().isEmpty() && !choice.firsts().containsKey(request)) {
          next.add(granted(choice, maybe, new Grant(request, choice.generation(), 0, "")));
        }
      }
    }
    return next;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import java.util.Optional;

/**
 * Where one waiting call is.
 *
 * @param place the create revision of its entry; 0 before it has one
 * @param end why it is to end, if it is
 */
record WaitState(Phase phase, long place, Optional<WaitEnd> end) {

  /** What is under way; at most one transaction of a call is. */
  enum Phase {
    /** On its way into the queue. */
    JOINING,
    /** In the queue; nothing is under way. */
    WAITING,
    /** Moves its entry on before it runs out, and looks around. */
    KEEPING,
    /** Tries to take the lock. */
    GRANTING,
    /** Removes its entry. */
    LEAVING,
    /** Frees the lock, since nobody is there to have it. */
    GIVING_BACK,
    /** Answered in doubt; removes what may be left in the queue. */
    CLEARING,
    DONE
  }

  static final WaitState JOINING = new WaitState(Phase.JOINING, 0, Optional.empty());

  WaitState in(Phase next) {
    return new WaitState(next, place, end);
  }

  WaitState at(long newPlace) {
    return new WaitState(phase, newPlace, end);
  }

  WaitState ending(WaitEnd why) {
    boolean counts = end.map(earlier -> why.compareTo(earlier) > 0).orElse(true);
    return counts ? new WaitState(phase, place, Optional.of(why)) : this;
  }

  boolean isAbandoned() {
    return end.filter(why -> why == WaitEnd.ABANDONED).isPresent();
  }

  boolean isCancelled() {
    return end.filter(why -> why == WaitEnd.CANCELLED).isPresent();
  }

  /** Whether a caller is there who would still take the lock. */
  boolean wantsTheLock() {
    return end.map(why -> why == WaitEnd.TIMED_OUT).orElse(true);
  }

  /** Whether its place in the queue counts: it is there and not about to be given up. */
  boolean isInLine() {
    return switch (phase) {
      case WAITING, KEEPING, GRANTING -> true;
      case JOINING, LEAVING, GIVING_BACK, CLEARING, DONE -> false;
    };
  }
}

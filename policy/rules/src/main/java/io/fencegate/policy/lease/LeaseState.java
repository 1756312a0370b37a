/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.lease;

import io.fencegate.policy.time.ClockReading;
import java.util.function.Function;

/** What a holder may believe of its authority. Closed: LEADING, SUSPECT, LOST. */
public sealed interface LeaseState {

  /**
   * The authority is confirmed until the deadline: writes may go out.
   *
   * @param deadlineNanos on the monotonic clock
   * @param confirmedBy both clocks before the send of the request that confirmed it
   * @param lastSeen both clocks at the latest step; the next one is compared with it
   */
  record Leading(long deadlineNanos, ClockReading confirmedBy, ClockReading lastSeen)
      implements LeaseState {}

  /**
   * A renewal is uncertain or the clocks disagree: no new work, but the lease may still be ours
   * until the deadline.
   */
  record Suspect(long deadlineNanos, ClockReading confirmedBy, ClockReading lastSeen, Doubt doubt)
      implements LeaseState {}

  /** Over, for good: no event leads out of here. */
  record Lost(Loss loss) implements LeaseState {}

  /** Why the authority is in doubt. */
  enum Doubt {
    /** A renewal failed, was not answered in time, or its answer is unusable. */
    RENEWAL_UNCERTAIN,
    /** The wall clock and the monotonic clock moved apart: the machine was frozen or moved. */
    CLOCKS_DISAGREE
  }

  /** Why the authority is gone. */
  enum Loss {
    /** The confirmed time ran out before a renewal was confirmed. */
    DEADLINE_PASSED,
    /** The gateway answered that this lease does not own the lock any more. */
    NOT_OWNER,
    /** The holder gave it back. */
    RELEASED
  }

  default <R> R fold(
      Function<? super Leading, ? extends R> leading,
      Function<? super Suspect, ? extends R> suspect,
      Function<? super Lost, ? extends R> lost) {
    if (this instanceof Leading l) {
      return leading.apply(l);
    }
    return this instanceof Suspect s ? suspect.apply(s) : lost.apply((Lost) this);
  }

  /** Whether writes may go out. */
  default boolean isLeading() {
    return this instanceof Leading;
  }

  /** Whether it is over, for good. */
  default boolean isLost() {
    return this instanceof Lost;
  }
}

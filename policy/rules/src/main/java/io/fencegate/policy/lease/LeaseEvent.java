/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.lease;

import io.fencegate.policy.time.ClockReading;
import java.util.function.Function;

/** What can happen to a holder's authority. */
public sealed interface LeaseEvent {

  /** Somebody looked at the clocks: a timer fired, or a write asks whether it may go out. */
  record Looked() implements LeaseEvent {}

  /**
   * The gateway confirmed the same lease.
   *
   * @param sent both clocks <em>before</em> the confirmed request was sent
   * @param remainingMillis what the answer said is left, counted from the gateway's handling
   */
  record RenewalConfirmed(ClockReading sent, long remainingMillis) implements LeaseEvent {}

  /** A renewal failed, timed out or is late: it may or may not have been carried out. */
  record RenewalUncertain() implements LeaseEvent {}

  /** The gateway answered that this lease does not own the lock any more. */
  record RenewalRefused() implements LeaseEvent {}

  /** The holder gives the lock back; from here on it does not act on it. */
  record Released() implements LeaseEvent {}

  /** One branch per kind of event. */
  record Cases<R>(
      Function<? super Looked, ? extends R> looked,
      Function<? super RenewalConfirmed, ? extends R> confirmed,
      Function<? super RenewalUncertain, ? extends R> uncertain,
      Function<? super RenewalRefused, ? extends R> refused,
      Function<? super Released, ? extends R> released) {}

  default <R> R fold(Cases<R> cases) {
    if (this instanceof Looked e) {
      return cases.looked().apply(e);
    }
    if (this instanceof RenewalConfirmed e) {
      return cases.confirmed().apply(e);
    }
    if (this instanceof RenewalUncertain e) {
      return cases.uncertain().apply(e);
    }
    return this instanceof RenewalRefused e
        ? cases.refused().apply(e)
        : cases.released().apply((Released) this);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.lease;

import java.util.function.Consumer;

/** What the holder's side is to do after a step, in the order given. */
public sealed interface LeaseCommand {

  /** The kind of state changed: tell whoever listens. */
  record Announce(LeaseState before, LeaseState after) implements LeaseCommand {}

  /**
   * Send the next renewal after about this time (spread it a little); replaces an earlier order. At
   * most one renewal is on the way: one that is still unanswered then takes the place of this one.
   */
  record RenewAfter(long millis) implements LeaseCommand {}

  /** Look at the clocks when this deadline has come; replaces an earlier order. */
  record LookAt(long deadlineNanos) implements LeaseCommand {}

  /** Nothing more is to be sent or looked at. */
  record Stop() implements LeaseCommand {}

  default void visit(
      Consumer<? super Announce> announce,
      Consumer<? super RenewAfter> renewAfter,
      Consumer<? super LookAt> lookAt,
      Runnable stop) {
    if (this instanceof Announce c) {
      announce.accept(c);
    } else if (this instanceof RenewAfter c) {
      renewAfter.accept(c);
    } else if (this instanceof LookAt c) {
      lookAt.accept(c);
    } else {
      stop.run();
    }
  }
}

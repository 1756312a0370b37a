/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.fence.Entry;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import java.util.OptionalLong;

/** Everything that entering compared, once more, right before a forward's first byte. */
final class SecondLook {

  private final DrainBarrier barrier;
  private final GatewaySession session;
  private final FreezeGate freezes;
  private final Clocks clocks;

  SecondLook(WriteService.Parts parts) {
    this.barrier = parts.barrier();
    this.session = parts.session();
    this.freezes = FreezeGate.of(parts);
    this.clocks = parts.clocks();
  }

  /**
   * Until when the write may be under way: the end of its own time, or of what is known to be left
   * of the lease that it was let in with.
   *
   * @return monotonic; empty: nothing may be sent any more
   */
  OptionalLong sendUntilNanos(WriteCommand command, Permit permit) {
    ClockReading now = clocks.read();
    long deadlineNanos = command.deadlineNanos();
    boolean mayGo =
        now.isBefore(deadlineNanos)
            && session.isFresh(now)
            && freezes.admits(command, now)
            && barrier.confirm(permit, now) instanceof Entry.Entered;
    return mayGo
        ? OptionalLong.of(
            ClockReading.earlier(
                deadlineNanos, barrier.leaseUntilNanos(permit).orElse(deadlineNanos)))
        : OptionalLong.empty();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.tck;

import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.fence.Entry;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.fence.Verification;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import java.time.Duration;

/**
 * Permits as a gateway would have them that knows of nothing but the one token: each comes from a
 * barrier of its own, so that an old token gets one after a newer did. That is what a paused
 * gateway looks like to a downstream.
 */
public final class Permits {

  private static final Duration MARGIN = Duration.ofHours(1);
  private static final Duration GOOD_FOR = Duration.ofHours(1);

  private final Clocks clocks;

  public Permits(Clocks clocks) {
    this.clocks = clocks;
  }

  public Permit mint(ResourceName resource, FencingToken token) {
    ClockReading now = clocks.read();
    DrainBarrier barrier = new DrainBarrier(MARGIN);
    long goodUntilNanos = now.monotonicNanos() + GOOD_FOR.toNanos();
    barrier.verified(resource, new Verification(token, null, goodUntilNanos), now, now);
    Entry entry = barrier.enter(resource, new WriteHeader(token, null), false, now);
    return entry.fold(
        permit -> permit,
        () -> {
          throw new AssertionError("a verified token was not let in");
        },
        refusal -> {
          throw new AssertionError("a verified token was refused: " + refusal);
        });
  }
}

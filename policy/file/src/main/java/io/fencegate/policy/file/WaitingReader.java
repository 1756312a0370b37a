/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import io.fencegate.policy.model.AcquirePolicy;
import io.fencegate.policy.model.WaitingPolicy;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads {@code dedup} and {@code waiting} of one policy, which bound each other. */
final class WaitingReader {

  /** Remembered acquires cost room in the coordinator. */
  private static final Duration MAX_DEDUP = Duration.ofHours(1);

  private static final Duration SHORTEST_WAIT = Duration.ofSeconds(1);

  private final Fields dedup;
  private final Fields waiting;
  private final Problems problems;

  WaitingReader(Fields policy, Problems problems) {
    this.dedup = policy.in("dedup");
    this.waiting = policy.in("waiting");
    this.problems = problems;
  }

  AcquirePolicy read() {
    Duration retention =
        dedup
            .duration("retention", AcquirePolicy.MIN_DEDUP, MAX_DEDUP)
            .orElse(AcquirePolicy.DEFAULT.dedupRetention());
    int maxWaiters =
        waiting
            .integer("maxWaiters")
            .map(Math::toIntExact)
            .orElse(WaitingPolicy.DEFAULT.maxWaiters());
    return new AcquirePolicy(
        retention, new WaitingPolicy(maxWaiters, perPrincipal(maxWaiters), maxWait(retention)));
  }

  private OptionalInt perPrincipal(int maxWaiters) {
    Optional<Integer> given = waiting.integer("maxWaitersPerPrincipal").map(Math::toIntExact);
    if (given.isPresent() && given.get() > maxWaiters && !waiting.isBlamed("maxWaiters")) {
      waiting
          .node("maxWaitersPerPrincipal")
          .ifPresent(node -> problems.blame(node, "at most maxWaiters, which is " + maxWaiters));
    }
    return given.map(OptionalInt::of).orElseGet(OptionalInt::empty);
  }

  /**
   * A wait during which a grant could be forgotten is refused; where the policy gives none, it is
   * as long as it may be.
   */
  private Duration maxWait(Duration retention) {
    Duration longest = AcquirePolicy.longestWait(retention);
    Duration standard = WaitingPolicy.DEFAULT.maxWait();
    Duration unsaid = standard.compareTo(longest) < 0 ? standard : longest;
    Optional<Duration> given =
        waiting.duration("maxWait", SHORTEST_WAIT, WaitingPolicy.LONGEST_WAIT);
    if (given.isPresent() && given.get().compareTo(longest) > 0 && !dedup.isBlamed("retention")) {
      waiting
          .node("maxWait")
          .ifPresent(
              node ->
                  problems.blame(
                      node,
                      "at most "
                          + Units.show(longest)
                          + ", which is "
                          + Units.show(AcquirePolicy.LATEST_COMMIT)
                          + " below dedup.retention"));
    }
    return given.orElse(unsaid);
  }
}

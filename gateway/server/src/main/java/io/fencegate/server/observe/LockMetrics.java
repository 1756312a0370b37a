/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.observe;

import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.lock.LockChanges;
import io.fencegate.coordination.lock.LockService;
import io.fencegate.coordination.lock.Renewal;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.time.Clocks;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * How many locks are held through this gateway, for how long, and how they end. Used from one
 * context.
 */
public final class LockMetrics implements LockChanges.Listener {

  private static final Duration[] HOLD_BUCKETS = {
    Duration.ofMillis(10),
    Duration.ofMillis(100),
    Duration.ofSeconds(1),
    Duration.ofSeconds(10),
    Duration.ofMinutes(1),
    Duration.ofMinutes(10),
    Duration.ofHours(1),
    Duration.ofHours(12)
  };

  private final HeldLocks held = new HeldLocks();
  private final Clocks clocks;
  private final Map<HeldLocks.End, Timer> holds = new EnumMap<>(HeldLocks.End.class);

  public LockMetrics(MeterRegistry registry, LockService locks, Clocks clocks) {
    this.clocks = clocks;
    for (HeldLocks.End end : HeldLocks.End.values()) {
      holds.put(
          end,
          Timer.builder("fencegate.lock.hold")
              .description(
                  "How long locks were held that were last granted or renewed here, by how the hold"
                      + " ended")
              .tag("end", end.name().toLowerCase(Locale.ROOT))
              .serviceLevelObjectives(HOLD_BUCKETS)
              .register(registry));
    }
    Gauge.builder("fencegate.lock.waiters", locks, LockService::waiting)
        .description("Calls that wait for a lock through this gateway")
        .register(registry);
    Gauge.builder("fencegate.lock.queue.longest", locks, LockService::longestQueue)
        .description("Calls that wait for the same lock through this gateway, where most do")
        .register(registry);
    Gauge.builder("fencegate.locks.active", held, HeldLocks::active)
        .strongReference(true)
        .description("Locks that are held and were last granted or renewed through this gateway")
        .register(registry);
  }

  void granted(Grant grant) {
    held.granted(grant.resource(), grant.token(), grant.remainingMillis(), clocks.read())
        .ifPresent(this::record);
  }

  void renewed(Renewal renewal) {
    held.renewed(renewal.resource(), renewal.token(), renewal.remainingMillis(), clocks.read());
  }

  void released(ResourceName resource) {
    held.released(resource, clocks.read()).ifPresent(this::record);
  }

  /** To be called every second or so. */
  public void sweep() {
    held.sweep(clocks.read()).forEach(this::record);
  }

  @Override
  public void lockChanged(ResourceName resource, long revision) {
    held.endSeen(resource, revision, clocks.read());
  }

  /** Ends that were missed show when the known deadline has passed long ago. */
  @Override
  public void missedChanges() {}

  /** A hold whose beginning was not seen counts with 0: it must show as an end. */
  private void record(HeldLocks.Ended ended) {
    Objects.requireNonNull(holds.get(ended.end()))
        .record(Duration.ofNanos(ended.heldNanos().orElse(0)));
  }
}

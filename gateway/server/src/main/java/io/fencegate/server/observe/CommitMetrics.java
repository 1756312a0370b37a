/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.observe;

import io.fencegate.coordination.commit.CommitBatcher;
import io.fencegate.coordination.commit.CommitObserver;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** How the coordinator takes this gateway's batches. */
public final class CommitMetrics implements CommitObserver {

  private static final double[] SIZE_BUCKETS = {1, 5, 10, 25, 50, 75, 100};

  private final MeterRegistry registry;
  private final Map<Outcome, Timer> commits = new EnumMap<>(Outcome.class);
  private final DistributionSummary sizes;

  private CommitMetrics(MeterRegistry registry) {
    this.registry = registry;
    this.sizes =
        DistributionSummary.builder("fencegate.coordinator.batch.size")
            .description("Transactions per batch")
            .serviceLevelObjectives(SIZE_BUCKETS)
            .register(registry);
  }

  /** Registers the figures and keeps them up to date from now on. */
  public static void register(MeterRegistry registry, CommitBatcher batcher) {
    batcher.observe(new CommitMetrics(registry));
    Gauge.builder("fencegate.coordinator.queue", batcher, CommitBatcher::waiting)
        .description("Transactions that wait for a batch")
        .register(registry);
  }

  @Override
  public void answered(int members, long tookNanos, Outcome outcome) {
    commits.computeIfAbsent(outcome, this::timer).record(tookNanos, TimeUnit.NANOSECONDS);
    sizes.record(members);
  }

  private Timer timer(Outcome outcome) {
    return Timer.builder("fencegate.coordinator.commit")
        .description("Batches sent to the coordinator, until they were answered")
        .tag("outcome", outcome.name().toLowerCase(Locale.ROOT).replace('_', '-'))
        .serviceLevelObjectives(Observations.LATENCY_BUCKETS)
        .register(registry);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.observe;

import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.policy.PolicyLibrary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/** What the gateway's state looks like at the moment of a scrape. */
public final class GatewayMetrics {

  private GatewayMetrics() {}

  /** Where the figures come from; all read on the gateway's context. */
  public record Sources(
      DrainBarrier barrier,
      GatewaySession session,
      PolicyLibrary policies,
      AuditLog audit,
      Clocks clocks) {}

  public static void register(MeterRegistry registry, Sources sources) {
    Gauge.builder("fencegate.writes.in.flight", sources.barrier(), DrainBarrier::inFlight)
        .description("Writes that have entered the barrier and not left")
        .register(registry);
    Gauge.builder(
            "fencegate.session.fresh",
            sources,
            it -> it.session().isFresh(it.clocks().read()) ? 1 : 0)
        .strongReference(true)
        .description("1 while the coordinator has confirmed this gateway recently")
        .register(registry);
    Gauge.builder("fencegate.generation", sources.session(), it -> it.generation().value())
        .description("The coordinator's generation")
        .register(registry);
    Gauge.builder(
            "fencegate.policy.last.reload.successful",
            sources.policies(),
            it -> it.lastReloadSuccessful() ? 1 : 0)
        .description("1 while the policy files on disk are the ones in force")
        .register(registry);
    FunctionCounter.builder("fencegate.audit.dropped", sources.audit(), AuditLog::dropped)
        .description("Audit lines that were dropped because the disk did not keep up")
        .register(registry);
    FunctionCounter.builder("fencegate.audit.failures", sources.audit(), AuditLog::failures)
        .description("Failures to write the audit file; each may have cost lines")
        .register(registry);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.observe;

import io.fencegate.coordination.Coordination;
import io.fencegate.coordination.health.CoordinatorHealth;
import io.fencegate.coordination.idempotency.IdempotencyLedger;
import io.fencegate.coordination.slot.SlotOwnership;
import io.fencegate.coordination.store.StoreHealth;
import io.fencegate.policy.agreement.Agreement;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.fence.Unresolved;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.policy.PolicyLibrary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.ToDoubleFunction;

/** What the gateway's state looks like at the moment of a scrape. */
public final class GatewayMetrics {

  private GatewayMetrics() {}

  /** Where the figures come from; all read on the gateway's context. */
  public record Sources(
      DrainBarrier barrier,
      Coordination coordination,
      PolicyLibrary policies,
      AuditLog audit,
      Clocks clocks) {}

  public static void register(MeterRegistry registry, Sources sources) {
    registerCoordinator(registry, sources.coordination());
    Gauge.builder("fencegate.writes.in.flight", sources.barrier(), DrainBarrier::inFlight)
        .description("Writes that have entered the barrier and not left")
        .register(registry);
    Gauge.builder(
            "fencegate.writes.unresolved",
            sources,
            it ->
                it.barrier().unresolved(it.clocks().read()).stream()
                    .mapToInt(Unresolved::writes)
                    .sum())
        .description("Writes that may still land although nobody waits for them any more")
        .register(registry);
    Gauge.builder("fencegate.slots.owned", sources.coordination().slots(), SlotOwnership::owned)
        .description("Slots whose resources this gateway carries out writes for")
        .register(registry);
    Gauge.builder(
            "fencegate.freezes", sources.coordination().freezes(), it -> it.last().all().size())
        .description("Freezes of writes in force, as this gateway read them last")
        .register(registry);
    Gauge.builder(
            "fencegate.policies.different",
            sources.coordination().policies(),
            it ->
                it.standings().values().stream()
                    .filter(Agreement.Standing.DIFFERENT::equals)
                    .count())
        .description(
            "Policies of this gateway that are in force in another form: see policy switch")
        .register(registry);
    Gauge.builder(
            "fencegate.keys.unrecorded",
            sources.coordination().idempotency(),
            IdempotencyLedger::open)
        .description("Writes with Idempotency-Keys whose outcome the coordinator does not have yet")
        .register(registry);
    Gauge.builder(
            "fencegate.session.fresh",
            sources,
            it -> it.coordination().session().isFresh(it.clocks().read()) ? 1 : 0)
        .strongReference(true)
        .description("1 while the coordinator has confirmed this gateway recently")
        .register(registry);
    Gauge.builder(
            "fencegate.generation", sources.coordination().session(), it -> it.generation().value())
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

  private static void registerCoordinator(MeterRegistry registry, Coordination coordination) {
    Gauge.builder(
            "fencegate.coordinator.history.intact",
            coordination.history(),
            it -> it.trouble().isEmpty() ? 1 : 0)
        .description("0: the coordinator was restored or exchanged, its generation must be raised")
        .register(registry);
    CoordinatorHealth health = coordination.health();
    gauge(
        registry,
        "space.used.ratio",
        "Part of its space that is used",
        health,
        it -> it.space().usedRatio());
    gauge(
        registry,
        "space.exhausted",
        "1 while it stores nothing more",
        health,
        it -> it.space().exhausted() ? 1 : 0);
    gauge(
        registry,
        "quorum",
        "1 while it answers linearizable reads",
        health,
        it -> it.quorum() ? 1 : 0);
    gauge(
        registry,
        "endpoints",
        "Endpoints that are configured",
        health,
        it -> it.endpoints().size());
    gauge(
        registry,
        "endpoints.reachable",
        "Endpoints that answer",
        health,
        GatewayMetrics::reachable);
  }

  private static long reachable(StoreHealth health) {
    return health.endpoints().stream().filter(it -> it.trouble().isEmpty()).count();
  }

  /** A figure of the last look at the coordinator; none before the first. */
  private static void gauge(
      MeterRegistry registry,
      String name,
      String description,
      CoordinatorHealth health,
      ToDoubleFunction<StoreHealth> figure) {
    Gauge.builder(
            "fencegate.coordinator." + name,
            health,
            it -> it.last().map(figure::applyAsDouble).orElse(Double.NaN))
        .description(description)
        .register(registry);
  }
}

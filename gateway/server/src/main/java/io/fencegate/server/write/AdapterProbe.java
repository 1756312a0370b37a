/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.ProxyAdapter;
import io.fencegate.adapter.spi.ReconcileOutcome;
import io.fencegate.coordination.slot.DoubtProbe;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.policy.ActivePolicies;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;

/**
 * Asks the adapter that the resource's policy names, where all gateways agree on it: another
 * service knows nothing of the write. Used from one context.
 */
public final class AdapterProbe implements DoubtProbe {

  private static final Duration BUDGET = Duration.ofSeconds(5);

  private final ActivePolicies policies;
  private final Clocks clocks;

  public AdapterProbe(ActivePolicies policies, Clocks clocks) {
    this.policies = policies;
    this.clocks = clocks;
  }

  private Optional<ProxyAdapter> adapter(ResourceName resource) {
    return policies
        .matchAgreed(resource)
        .<Optional<ProxyAdapter>>fold(
            matched ->
                matched.adapter() instanceof ProxyAdapter proxy && proxy.namesWrites()
                    ? Optional.of(proxy)
                    : Optional.empty(),
            unmatched -> Optional.empty());
  }

  @Override
  public boolean canBeAsked(ResourceName resource) {
    return adapter(resource).isPresent();
  }

  /** That one of a session's writes was applied says nothing about the others. */
  private static boolean settles(String name, ReconcileOutcome outcome) {
    return outcome instanceof ReconcileOutcome.NeverApplied
        || (outcome instanceof ReconcileOutcome.Applied && name.indexOf('.') >= 0);
  }

  @Override
  public Future<Boolean> isSettled(ResourceName resource, String name) {
    long deadlineNanos = clocks.read().monotonicNanos() + BUDGET.toNanos();
    return adapter(resource)
        .map(it -> it.reconcile(name, deadlineNanos).map(outcome -> settles(name, outcome)))
        .orElseGet(() -> Future.succeededFuture(false));
  }
}

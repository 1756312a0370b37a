/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.fence.ShadowPermit;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * One downstream. The gateway decides, the adapter carries out and reports what is true.
 *
 * <p>An adapter that offers {@code strict} keeps an epoch per resource inside its downstream.
 * {@link #seal} raises it, durably, in a step of its own; {@link #apply} never raises it and
 * applies a write only while the downstream's epoch equals the write's token, atomically with the
 * write.
 *
 * <p>Where the offer says that the gateway judges, {@link #seal} changes nothing: the gateway
 * itself lets no newer token's write out before the older ones are settled.
 *
 * <p>Every future completes, by the deadline given and a grace of at most one second. A future
 * fails only on a defect; whatever a downstream can do to a request is an outcome. Calls come from
 * the gateway's context; any number may be under way at once.
 */
public interface ResourceAdapter {

  /** What this adapter keeps, and why. */
  Offer offer();

  /**
   * Looks at a write without any I/O: unknown or missing parameters, values that are not of their
   * type.
   *
   * @return what is wrong with it, naming the field
   */
  Optional<Refusal> objection(WriteContent content);

  /**
   * Raises the downstream's epoch to the permit's token. When it answers sealed, no older write can
   * land any more.
   */
  Future<SealOutcome> seal(Permit permit, Seal seal);

  /** Carries out one write, at most once. */
  Future<ApplyOutcome> apply(Permit permit, FencedWrite write);

  /**
   * Carries out one write of a policy in shadow, at most once. Everything is as for {@link #apply},
   * but no token is compared and no epoch is read, raised or waited for: the write is neither
   * refused because of its token nor does it hold up or shut out any other. Called only where the
   * factory {@link AdapterFactory#takesShadowWrites takes shadow writes}; answers neither {@link
   * ApplyOutcome.Stale} nor {@link ApplyOutcome.SealFirst}.
   */
  default Future<ApplyOutcome> applyUnfenced(ShadowPermit permit, FencedWrite write) {
    return Future.succeededFuture(
        new ApplyOutcome.Rejected(
            RefusalCode.DOWNSTREAM_UNAVAILABLE.because(
                "this adapter carries out no writes in shadow")));
  }

  /**
   * An operator resets the resource's epoch: the downstream forgets its own, after every write that
   * was let in under it has ended, so that lower tokens of another source can raise it anew.
   * Harmless to repeat. An adapter that keeps no epoch has nothing to forget, which this stands
   * for.
   *
   * @return why it is not forgotten, or not known to be; empty where it is
   */
  default Future<Optional<Refusal>> resetEpoch(ResourceName resource, long deadlineNanos) {
    return Future.succeededFuture(Optional.empty());
  }

  /**
   * Finds out what became of a write that was answered unknown, by making sure that it can not land
   * any more where it has not. Harmless to repeat.
   */
  Future<ReconcileOutcome> reconcile(String writeId, long deadlineNanos);

  /** The adapter's own outcome records; empty where it keeps none. */
  Optional<OutcomeRecords> records();

  /** Whether the downstream can be reached at present, for readiness; the reason where not. */
  Future<Optional<String>> unreachable();

  /** Completes when everything under way has ended and all connections are closed. Idempotent. */
  Future<Void> close();
}

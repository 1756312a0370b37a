/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.fence;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What enforcing would say of writes that are sent on in any case.
 *
 * <p>It judges with a barrier of its own, by the very rules of the real one, so that its verdicts
 * are those of enforcing as far as this gateway's writes tell; and since it is another barrier, a
 * write in shadow never counts as entered, raises nothing and holds up no enforced write.
 *
 * <p>It also knows which writes are under way, for the moment at which a resource is enforced
 * again: a write that was let through without a compare may land until it has ended, so no enforced
 * write may go out before.
 *
 * <p>Used from the one context that owns the resources; the class has no locks.
 */
public final class ShadowFence {

  /** Verdicts rest on what was seen before, so resources are forgotten beyond this number only. */
  private static final int MAX_RESOURCES = 100_000;

  private final DrainBarrier judging;
  private final Map<ResourceName, Set<ShadowPermit>> underWay = new HashMap<>();

  /** A fence that has seen nothing; the margin is that of {@link DrainBarrier}. */
  public ShadowFence(Duration clockMargin) {
    this.judging = new DrainBarrier(clockMargin);
  }

  /** What enforcing would do with a write that comes now. */
  public Decision judge(
      ResourceName resource, WriteHeader header, boolean leaseRequired, ClockReading now) {
    return judging
        .enter(resource, header, leaseRequired, now)
        .fold(
            permit -> {
              judging.leave(permit);
              return new Decision.Enter();
            },
            Decision.Verify::new,
            Decision.Refuse::new);
  }

  /** The highest token that enforcing would have accepted, as far as it was seen here. */
  public @Nullable FencingToken highest(ResourceName resource) {
    return judging.view(resource).epoch();
  }

  /** The coordinator showed that enforcing would accept this token. */
  public void verified(
      ResourceName resource, Verification confirmed, ClockReading askedAt, ClockReading now) {
    judging.verified(resource, confirmed, askedAt, now);
  }

  /** Something happened to the resource's lock. */
  public void withdraw(ResourceName resource, ClockReading now) {
    judging.withdraw(resource, now);
  }

  /** Whatever is known only for a time is void. */
  public void withdrawAll(ClockReading now) {
    judging.withdrawAll(now);
  }

  /** Registers a write that is sent on whatever was judged; it has to {@link #leave}. */
  public ShadowPermit letThrough(ResourceName resource, @Nullable FencingToken token) {
    ShadowPermit permit = new ShadowPermit(resource, token);
    underWay.computeIfAbsent(resource, unseen -> new HashSet<>()).add(permit);
    return permit;
  }

  /** The write has landed, or can not land any more. Idempotent. */
  public void leave(ShadowPermit permit) {
    underWay.computeIfPresent(
        permit.resource(),
        (resource, permits) -> {
          permits.remove(permit);
          return permits.isEmpty() ? null : permits;
        });
  }

  /** Writes of one resource that were let through and may still land. */
  public int underWay(ResourceName resource) {
    return underWay.getOrDefault(resource, Set.of()).size();
  }

  /** An operator has reset the resource's epoch. */
  public void forget(ResourceName resource, ClockReading now) {
    judging.forget(resource, now);
  }

  /** Forgets what is idle, once it is too much. Harmless: the next verdict asks anew. */
  public void forgetIdle(ClockReading now) {
    if (judging.resources() > MAX_RESOURCES) {
      judging.forgetIdle(now);
    }
  }
}

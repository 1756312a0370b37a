/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.fence;

import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import java.util.Objects;

/**
 * The decision table of a write, pure.
 *
 * <table>
 * <caption>first row that fits</caption>
 * <tr><th>what holds</th><th>decision</th></tr>
 * <tr><td>token below the local epoch</td><td>refuse: {@code stale-token}</td></tr>
 * <tr><td>lease required, none shown</td><td>refuse: {@code lease-required}</td></tr>
 * <tr><td>token equals the epoch, same lease, its verification still good</td><td>enter</td></tr>
 * <tr><td>anything else (newer token, other lease, verification too old or withdrawn)</td>
 *     <td>verify with the coordinator</td></tr>
 * </table>
 *
 * <p>A token above the epoch never enters on local knowledge: only the coordinator can say that it
 * was issued, so a forged one moves nothing.
 */
public final class FencingRules {

  private FencingRules() {}

  public static Decision decide(
      FenceView view, WriteHeader header, boolean leaseRequired, ClockReading now) {
    FencingToken epoch = view.epoch();
    if (epoch != null && header.token().isBelow(epoch)) {
      return new Decision.Refuse(stale(header.token(), epoch));
    }
    if (leaseRequired && header.proof() == null) {
      return new Decision.Refuse(leaseRequired());
    }
    Verification verification = view.verification();
    if (verification != null
        && verification.token().equals(header.token())
        && Objects.equals(verification.proof(), header.proof())
        && now.isBefore(verification.goodUntilNanos())) {
      return new Decision.Enter();
    }
    return new Decision.Verify();
  }

  public static Refusal stale(FencingToken token, FencingToken epoch) {
    return RefusalCode.STALE_TOKEN
        .because("token " + token + " was given, the resource has accepted " + epoch)
        .withEpoch(epoch);
  }

  private static Refusal leaseRequired() {
    return RefusalCode.LEASE_REQUIRED
        .because("no Fencing-Lease header was given, expected the leaseId of the lock's holder")
        .atField("Fencing-Lease");
  }
}

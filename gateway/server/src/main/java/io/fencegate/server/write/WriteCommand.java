/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.KeyClaim;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.ResourceName;
import org.jspecify.annotations.Nullable;

/**
 * A write that was parsed and matched, ready to be judged.
 *
 * @param header without a proof where the policy requires no lease
 * @param task what is to be done with it
 * @param claim null where no Idempotency-Key came
 * @param deadlineNanos monotonic; the answer is there by then
 */
public record WriteCommand(
    ResourceName resource,
    ResourcePolicy policy,
    ResourceAdapter adapter,
    Principal principal,
    WriteHeader header,
    WriteTask task,
    @Nullable KeyClaim claim,
    long deadlineNanos) {

  boolean leaseRequired() {
    return policy.lease().required();
  }
}

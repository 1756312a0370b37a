/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.policy.name.HolderId;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.LeaseId;
import java.time.Duration;

/**
 * A lock that was granted.
 *
 * @param ttl the granted class
 * @param remainingMillis for how long the lease lives for certain; 0 for a repeat whose lease is
 *     gone
 */
public record Grant(
    ResourceName resource,
    LeaseId leaseId,
    FencingToken token,
    Duration ttl,
    long remainingMillis,
    HolderId holder) {}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.key.ParameterHash;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.policy.name.HolderId;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.RequestId;
import io.fencegate.policy.name.ResourceName;
import java.time.Duration;

/**
 * What an acquire asks for. A repeat is the same principal with the same resource and request id.
 *
 * @param ttl as asked for, within the policy's bounds; rounded up to a class
 * @param metadataJson the holder's own notes, a JSON object in canonical form
 * @param dedupRetention how long a repeat gets the first result
 */
public record AcquireRequest(
    ResourceName resource,
    Principal principal,
    RequestId requestId,
    HolderId holder,
    Duration ttl,
    String metadataJson,
    Duration dedupRetention) {

  TtlClass ttlClass() {
    return TtlClass.atLeast(ttl);
  }

  TtlClass dedupClass() {
    return TtlClass.atLeast(dedupRetention);
  }

  /** Repeats with other parameters are another request. */
  ParameterHash parameters() {
    return ParameterHash.over(holder.value(), Integer.toString(ttlClass().index()), metadataJson);
  }
}

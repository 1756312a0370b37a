/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import io.fencegate.policy.name.AdapterName;
import io.fencegate.policy.name.OperationName;
import io.fencegate.policy.name.PolicyName;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What holds for the resources that {@link #match()} names.
 *
 * @param priority among overlapping patterns the higher one wins; 0 where the file says nothing
 * @param guarantee the least that is acceptable while tokens are enforced
 * @param http where requests are forwarded as they come; empty for adapters with operations
 */
public record ResourcePolicy(
    PolicyName name,
    ResourcePattern match,
    int priority,
    AdapterName adapter,
    Guarantee guarantee,
    FencingPolicy fencing,
    LeasePolicy lease,
    AcquirePolicy acquire,
    IdempotencyPolicy idempotency,
    UnresolvedPolicy onUnresolved,
    Limits limits,
    Map<OperationName, Operation> operations,
    Optional<ProxyPolicy> http) {

  public ResourcePolicy {
    operations = Collections.unmodifiableMap(new LinkedHashMap<>(operations));
  }
}

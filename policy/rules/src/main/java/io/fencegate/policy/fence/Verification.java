/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.fence;

import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.LeaseProof;
import org.jspecify.annotations.Nullable;

/**
 * What one linearizable look at the coordinator confirmed.
 *
 * @param token the token that was accepted; the durable epoch is at least this
 * @param proof whose lease it is; null where the policy does not require a lease and none was shown
 * @param goodUntilNanos monotonic; counted from before the request that confirmed it
 */
public record Verification(FencingToken token, @Nullable LeaseProof proof, long goodUntilNanos) {}

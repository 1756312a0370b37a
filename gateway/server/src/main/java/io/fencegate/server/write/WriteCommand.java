/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.KeyClaim;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.server.policy.MatchedPolicy;
import org.jspecify.annotations.Nullable;

/**
 * A write that was parsed and matched, ready to be judged.
 *
 * @param shown without a proof where the policy requires no lease; null where a write in shadow
 *     came without a token
 * @param task what is to be done with it
 * @param claim null where no Idempotency-Key came
 * @param deadlineNanos monotonic; the answer is there by then
 */
public record WriteCommand(
    ResourceName resource,
    MatchedPolicy matched,
    Principal principal,
    @Nullable WriteHeader shown,
    WriteTask task,
    @Nullable KeyClaim claim,
    long deadlineNanos) {

  /** The policy that was in force when it came. */
  public ResourcePolicy policy() {
    return matched.policy();
  }

  public ResourceAdapter adapter() {
    return matched.adapter();
  }

  /** What an enforced write has shown. */
  public WriteHeader header() {
    WriteHeader header = shown;
    if (header == null) {
      throw new IllegalStateException("only a write in shadow comes without a token");
    }
    return header;
  }

  /** The token that came; null where a write in shadow came without one. */
  public @Nullable FencingToken token() {
    WriteHeader header = shown;
    return header == null ? null : header.token();
  }

  /** The same write under an Idempotency-Key, now that its body is known. */
  public WriteCommand with(WriteTask read, KeyClaim key) {
    return new WriteCommand(resource, matched, principal, shown, read, key, deadlineNanos);
  }

  /** What is promised about this write. */
  public Guarantee guarantee() {
    return matched.kept().guarantee();
  }

  boolean leaseRequired() {
    return policy().lease().required();
  }
}

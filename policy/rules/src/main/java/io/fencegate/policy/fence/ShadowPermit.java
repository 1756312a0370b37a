/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.fence;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import org.jspecify.annotations.Nullable;

/**
 * The right to send one write whose token decides nothing, minted only by {@link ShadowFence}.
 * Another type than {@link Permit}, so that neither can be taken for the other. Identity is what
 * counts, so it has no {@code equals}.
 */
public final class ShadowPermit {

  private final ResourceName resource;
  private final @Nullable FencingToken token;

  ShadowPermit(ResourceName resource, @Nullable FencingToken token) {
    this.resource = resource;
    this.token = token;
  }

  public ResourceName resource() {
    return resource;
  }

  /** The token that came with the write, for the records; null when none came. */
  public @Nullable FencingToken token() {
    return token;
  }

  @Override
  public String toString() {
    return "ShadowPermit[" + resource + ", " + token + "]";
  }
}

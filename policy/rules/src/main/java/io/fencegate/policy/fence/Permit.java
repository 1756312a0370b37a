/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.fence;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;

/**
 * The right to send one write, minted only by {@link DrainBarrier#enter}: no adapter can be called
 * without a decision. Identity is what counts, so it has no {@code equals}.
 */
public final class Permit {

  private final ResourceName resource;
  private final WriteHeader header;
  private final boolean leaseRequired;

  Permit(ResourceName resource, WriteHeader header, boolean leaseRequired) {
    this.resource = resource;
    this.header = header;
    this.leaseRequired = leaseRequired;
  }

  public ResourceName resource() {
    return resource;
  }

  public FencingToken token() {
    return header.token();
  }

  WriteHeader header() {
    return header;
  }

  boolean leaseRequired() {
    return leaseRequired;
  }

  @Override
  public String toString() {
    return "Permit[" + resource + ", " + token() + "]";
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.policy;

import io.fencegate.adapter.spi.Offer;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.model.ResourcePolicy;

/** What is promised about a policy's writes: what its adapter offers, as far as it is enforced. */
public final class KeptGuarantee {

  private static final Offer SHADOW =
      new Offer(
          Guarantee.BEST_EFFORT,
          Offer.Judge.GATEWAY,
          "enforcement is shadow: tokens are judged, and every write is sent on");

  private KeptGuarantee() {}

  /** The guarantee and, for operators, why it is this one. */
  public static Offer of(ResourcePolicy policy, Offer offer) {
    return policy.fencing().isShadow() ? SHADOW : offer;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.model.Guarantee;

/**
 * What an adapter can keep.
 *
 * @param guarantee the strongest it can promise with its present settings
 * @param judge who refuses a stale token
 * @param reason why, in one sentence for operators
 */
public record Offer(Guarantee guarantee, Judge judge, String reason) {

  /** Who refuses a stale token. */
  public enum Judge {
    /** The downstream compares epochs itself, so that any number of gateways may write to it. */
    DOWNSTREAM,
    /**
     * The gateway orders the writes: a newer token waits until older writes are settled. Only true
     * while no other gateway writes.
     */
    GATEWAY
  }

  public static Offer keptByDownstream(Guarantee guarantee, String reason) {
    return new Offer(guarantee, Judge.DOWNSTREAM, reason);
  }

  public static Offer keptByGateway(Guarantee guarantee, String reason) {
    return new Offer(guarantee, Judge.GATEWAY, reason);
  }

  /** What is left of the offer among so many gateways. */
  public Offer among(Gateways gateways) {
    return gateways == Gateways.ONE || judge == Judge.DOWNSTREAM
        ? this
        : new Offer(
            Guarantee.BEST_EFFORT,
            judge,
            "gateways that share a coordinator do not know of each other's writes to it in this"
                + " version; for more use one gateway with the embedded coordinator");
  }
}

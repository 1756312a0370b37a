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
     * The gateway orders the writes: a newer token waits until older writes are settled. Among
     * several gateways the one that owns the resource carries them out.
     */
    GATEWAY
  }

  public static Offer keptByDownstream(Guarantee guarantee, String reason) {
    return new Offer(guarantee, Judge.DOWNSTREAM, reason);
  }

  public static Offer keptByGateway(Guarantee guarantee, String reason) {
    return new Offer(guarantee, Judge.GATEWAY, reason);
  }

  /** Whether only the gateway that owns a resource may write, since the downstream cannot judge. */
  public boolean needsOwner() {
    return judge == Judge.GATEWAY;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.fencegate.adapter.spi.Offer;
import io.fencegate.policy.model.Guarantee;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Who keeps stale writes out. The gateway orders writes in both modes: that a downstream checks
 * tokens can be asserted in a file but not seen from here, and there is no request that raises its
 * epoch before the first write of a new token. So neither is {@code strict}.
 */
enum FencingMode {
  /** The downstream knows nothing of tokens. */
  SERIALIZED(
      Guarantee.SERIALIZED,
      Offer.Judge.GATEWAY,
      "the gateway that owns the resource is the only writer and sends a newer token's write"
          + " only when older ones are settled"),
  /** Every write names the version of its resource that it may replace. */
  CONDITIONAL(
      Guarantee.STRICT,
      Offer.Judge.DOWNSTREAM,
      "every write names the version that it replaces, read before its token was confirmed, and"
          + " the policy says that the downstream never uses a version again"),
  /** The downstream checks {@code Fencing-Token} itself, as far as its operators say. */
  DOWNSTREAM(
      Guarantee.SERIALIZED,
      Offer.Judge.GATEWAY,
      "the downstream is said to check Fencing-Token itself, which cannot be seen from here;"
          + " what is kept for certain is the gateway's own order of writes");

  private final Guarantee guarantee;
  private final Offer.Judge judge;
  private final String reason;

  FencingMode(Guarantee guarantee, Offer.Judge judge, String reason) {
    this.guarantee = guarantee;
    this.judge = judge;
    this.reason = reason;
  }

  static Optional<FencingMode> named(String name) {
    return Arrays.stream(values()).filter(mode -> mode.wireName().equals(name)).findFirst();
  }

  String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  Offer offer() {
    return new Offer(guarantee, judge, reason);
  }
}

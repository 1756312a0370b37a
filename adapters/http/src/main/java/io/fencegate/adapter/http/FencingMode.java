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
      "the gateway that owns the resource is the only writer and sends a newer token's write only"
          + " when older ones are settled"),
  /** The downstream checks {@code Fencing-Token} itself, as far as its operators say. */
  DOWNSTREAM(
      "the downstream is said to check Fencing-Token itself, which cannot be seen from here; what is"
          + " kept for certain is the gateway's own order of writes");

  private final String reason;

  FencingMode(String reason) {
    this.reason = reason;
  }

  static Optional<FencingMode> named(String name) {
    return Arrays.stream(values()).filter(mode -> mode.wireName().equals(name)).findFirst();
  }

  String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  Offer offer() {
    return Offer.keptByGateway(Guarantee.SERIALIZED, reason);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.fencegate.adapter.spi.EndToEndHeaders;
import io.vertx.core.MultiMap;
import java.util.Set;

/**
 * The headers that pass, pure. What belongs to one connection stays on it, framing is made anew,
 * and nobody but the gateways speaks in {@code Fencing-} and {@code Fencegate-} headers, in
 * whatever spelling a downstream may take for them.
 */
final class PassingHeaders {

  /** The gateway's own on the way there. */
  private static final Set<String> NOT_THERE = Set.of("host", "expect", "content-length");

  /** Judgements of the gateway that a downstream must not make up. */
  private static final Set<String> NOT_BACK = Set.of("idempotent-replayed");

  private static final String OURS = "fencing-";

  /** What gateways tell each other. */
  private static final String AMONG_US = "fencegate-";

  private PassingHeaders() {}

  /** On the way to the downstream. */
  static MultiMap there(MultiMap given) {
    return EndToEndHeaders.of(given, name -> NOT_THERE.contains(name) || isOurs(name));
  }

  /** On the way back to the caller. */
  static MultiMap back(MultiMap given) {
    return EndToEndHeaders.of(given, name -> NOT_BACK.contains(name) || isOurs(name));
  }

  private static boolean isOurs(String name) {
    String dashed = name.replace('_', '-');
    return dashed.startsWith(OURS) || dashed.startsWith(AMONG_US);
  }
}

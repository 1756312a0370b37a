/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

/**
 * How a request gets to the gateway that carries its resource's writes out, and on to the service.
 */
enum Way {
  /** It comes to that gateway, the only one. */
  DIRECT(1, false),
  /** It comes to another one, which relays it. */
  THROUGH_A_HOP(2, false),
  /** The only gateway speaks HTTP/2 to the service. */
  OVER_HTTP2(1, true);

  final int gateways;
  private final boolean http2;

  Way(int gateways, boolean http2) {
    this.gateways = gateways;
    this.http2 = http2;
  }

  /** The gateway that callers talk to. */
  int entry() {
    return 0;
  }

  /** The gateway that carries out what the fixture's resources are written. */
  int carrier() {
    return gateways - 1;
  }

  /** A policy file whose services are spoken to in this way. */
  String spoken(String policies) {
    return http2 ? policies.replace("type: http, ", "type: http, http2: true, ") : policies;
  }
}

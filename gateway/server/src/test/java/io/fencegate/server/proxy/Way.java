/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

/** How a request gets to the gateway that carries its resource's writes out. */
enum Way {
  /** It comes to that gateway, the only one. */
  DIRECT(1),
  /** It comes to another one, which relays it. */
  THROUGH_A_HOP(2);

  final int gateways;

  Way(int gateways) {
    this.gateways = gateways;
  }

  /** The gateway that callers talk to. */
  int entry() {
    return 0;
  }

  /** The gateway that carries out what the fixture's resources are written. */
  int carrier() {
    return gateways - 1;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Sends a request on to the gateway that carries out its resource's writes: once, to it alone, and
 * in a way that only gateways of the same coordinator can.
 */
@NullMarked
package io.fencegate.server.relay;

import org.jspecify.annotations.NullMarked;

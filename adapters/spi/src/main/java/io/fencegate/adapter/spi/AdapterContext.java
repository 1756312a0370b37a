/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.time.Clocks;
import io.vertx.core.Vertx;

/**
 * What an adapter may use of its surroundings. Futures that it returns complete on the caller's
 * context.
 *
 * @param gateways who else may write to the same downstream
 */
public record AdapterContext(Vertx vertx, Clocks clocks, Gateways gateways) {}

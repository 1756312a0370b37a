/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.time.Clocks;
import io.vertx.core.Vertx;

/**
 * What an adapter may use of its surroundings. Futures that it returns complete on the caller's
 * context.
 */
public record AdapterContext(Vertx vertx, Clocks clocks) {}

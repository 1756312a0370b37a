/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.fencegate.adapter.spi.ProxiedRequest;
import io.vertx.core.MultiMap;

/**
 * What one exchange is for.
 *
 * @param headers that pass, with the gateway's own
 * @param write whether its outcome matters to more than its caller: then it goes on when the caller
 *     has gone
 * @param deadlineNanos monotonic
 */
record Errand(ProxiedRequest request, MultiMap headers, boolean write, long deadlineNanos) {}

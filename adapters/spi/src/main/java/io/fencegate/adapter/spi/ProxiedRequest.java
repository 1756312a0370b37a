/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.vertx.core.MultiMap;

/**
 * A request on its way through the gateway.
 *
 * @param method in upper case
 * @param target normalised path, and the query as it came
 * @param headers as they came: the adapter takes out what must not pass
 */
public record ProxiedRequest(
    String method, String target, MultiMap headers, ProxiedBody body, ProxyCaller caller) {}

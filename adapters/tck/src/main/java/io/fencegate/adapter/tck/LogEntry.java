/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.tck;

import io.fencegate.policy.token.FencingToken;

/**
 * One value that a downstream shows to have been applied.
 *
 * @param token the one that the kit gave to {@link AdapterContract#append}
 */
public record LogEntry(String value, FencingToken token) {}

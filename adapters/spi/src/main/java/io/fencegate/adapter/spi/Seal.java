/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.token.FencingToken;
import org.jspecify.annotations.Nullable;

/**
 * How to raise the downstream's epoch.
 *
 * @param floor the epoch that the downstream is known to have confirmed; null when none is. A
 *     downstream whose epoch is below it has lost commits.
 * @param deadlineNanos monotonic; the adapter gives up then
 */
public record Seal(@Nullable FencingToken floor, long deadlineNanos) {}

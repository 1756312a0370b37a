/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import org.jspecify.annotations.Nullable;

/**
 * One write that has been let in.
 *
 * @param claim the caller's idempotency key; null when none came
 * @param deadlineNanos monotonic; past it the adapter answers what it knows
 */
public record FencedWrite(WriteContent content, @Nullable KeyClaim claim, long deadlineNanos) {}

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Idempotency-Keys of writes whose downstream keeps no records: who sends a write, and what came of
 * it, in the coordinator.
 */
@NullMarked
package io.fencegate.coordination.idempotency;

import org.jspecify.annotations.NullMarked;

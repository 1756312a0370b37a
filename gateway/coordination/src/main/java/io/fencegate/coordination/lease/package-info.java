/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Leases in buckets: one store lease for all locks of a class that were granted in the same second.
 */
@NullMarked
package io.fencegate.coordination.lease;

import org.jspecify.annotations.NullMarked;

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The port to the coordinator: a linearizable key-value store with leases, transactions and
 * watches. Two implementations pass one contract suite, so what stands here is what both really do.
 */
@NullMarked
package io.fencegate.coordination.store;

import org.jspecify.annotations.NullMarked;

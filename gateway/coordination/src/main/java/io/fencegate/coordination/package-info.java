/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Everything the gateway knows through the coordinator: locks, epochs, its own session. The control
 * plane and the data plane both stand on this and never call each other.
 */
@NullMarked
package io.fencegate.coordination;

import org.jspecify.annotations.NullMarked;

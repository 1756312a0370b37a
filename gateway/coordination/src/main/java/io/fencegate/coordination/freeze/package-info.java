/* SPDX-License-Identifier: Apache-2.0 */
/** Writes that operators have stopped, as every gateway sees them. */
@NullMarked
package io.fencegate.coordination.freeze;

import org.jspecify.annotations.NullMarked;

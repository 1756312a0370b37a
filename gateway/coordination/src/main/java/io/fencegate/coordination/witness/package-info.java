/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Notices a coordinator that has lost a part of its history: restored from a backup, wiped, or
 * exchanged for another. The coordinator itself cannot tell, so what was seen of it is kept
 * outside.
 */
@NullMarked
package io.fencegate.coordination.witness;

import org.jspecify.annotations.NullMarked;

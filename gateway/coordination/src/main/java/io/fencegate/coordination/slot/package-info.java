/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Which gateway carries out the writes of which resources, where the downstream cannot tell one
 * gateway from another.
 */
@NullMarked
package io.fencegate.coordination.slot;

import org.jspecify.annotations.NullMarked;

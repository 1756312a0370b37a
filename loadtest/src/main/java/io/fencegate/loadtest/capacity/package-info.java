/* SPDX-License-Identifier: Apache-2.0 */
/** How many locks a gateway carries, and how fast, on the machine at hand. */
@NullMarked
package io.fencegate.loadtest.capacity;

import org.jspecify.annotations.NullMarked;

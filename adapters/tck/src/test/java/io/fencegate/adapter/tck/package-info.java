/* SPDX-License-Identifier: Apache-2.0 */
/** The kit's own parts. */
@NullMarked
package io.fencegate.adapter.tck;

import org.jspecify.annotations.NullMarked;

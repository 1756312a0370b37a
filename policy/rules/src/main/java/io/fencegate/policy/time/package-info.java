/* SPDX-License-Identifier: Apache-2.0 */
/** Time as a value: read once at the edge, passed down. */
@NullMarked
package io.fencegate.policy.time;

import org.jspecify.annotations.NullMarked;

/* SPDX-License-Identifier: Apache-2.0 */
/** What the gateways of one coordinator know each other by. */
@NullMarked
package io.fencegate.coordination.cluster;

import org.jspecify.annotations.NullMarked;

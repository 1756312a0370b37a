/* SPDX-License-Identifier: Apache-2.0 */
/** What operators do to the coordinator: break a lock, raise the generation, list the gateways. */
@NullMarked
package io.fencegate.coordination.operator;

import org.jspecify.annotations.NullMarked;

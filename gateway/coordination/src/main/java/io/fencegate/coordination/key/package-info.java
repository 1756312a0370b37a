/* SPDX-License-Identifier: Apache-2.0 */
/** Where everything lies in the coordinator, and how each record is laid out. */
@NullMarked
package io.fencegate.coordination.key;

import org.jspecify.annotations.NullMarked;

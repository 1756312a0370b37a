/* SPDX-License-Identifier: Apache-2.0 */
/** The PostgreSQL adapter against real servers. */
@NullMarked
package io.fencegate.adapter.postgres;

import org.jspecify.annotations.NullMarked;

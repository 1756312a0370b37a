/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Writes to PostgreSQL, where the database itself compares the token in the write's transaction.
 */
@NullMarked
package io.fencegate.adapter.postgres;

import org.jspecify.annotations.NullMarked;

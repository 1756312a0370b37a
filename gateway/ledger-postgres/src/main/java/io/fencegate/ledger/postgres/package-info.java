/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Epochs kept in PostgreSQL, besides the coordinator. What they mean is in {@code schema.sql}; this
 * package brings the questions there, over connections that may break at any time, and sorts the
 * answers. What cannot be read, or comes from another ledger than before, is no answer.
 */
@NullMarked
package io.fencegate.ledger.postgres;

import org.jspecify.annotations.NullMarked;

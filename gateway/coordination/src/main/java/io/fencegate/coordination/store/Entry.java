/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

/**
 * A key with what is stored there.
 *
 * @param createRevision of the transaction that created the key; unchanged by later puts and
 *     touches
 * @param modRevision of the last put or touch
 * @param lease {@link LeaseHandle#NONE} for a key that stays until it is deleted
 */
public record Entry(
    Key key, Value value, long createRevision, long modRevision, LeaseHandle lease) {}

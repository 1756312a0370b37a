/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

/** One step of a transaction's branch. Reads see what earlier steps of the same branch wrote. */
public sealed interface Op {

  /** Puts a value and attaches the key to {@code lease}; creates the key where it is absent. */
  record Put(Key key, Value value, LeaseHandle lease) implements Op {}

  /**
   * Moves a key to another lease. Value and create revision stay, the modification revision moves.
   * On an absent key the whole batch is refused, so a touch stands behind a compare.
   */
  record Touch(Key key, LeaseHandle lease) implements Op {}

  /** Deletes a key; nothing happens where it is absent. */
  record Delete(Key key) implements Op {}

  record Get(Key key) implements Op {}

  /** The key of a range with the lowest create revision. */
  record FirstCreated(KeyRange range) implements Op {}
}

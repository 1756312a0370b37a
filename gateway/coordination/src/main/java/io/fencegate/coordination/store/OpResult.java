/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

import java.util.Optional;

/** What one step came to. */
public sealed interface OpResult {

  /** A put, touch or delete was done. */
  record Done() implements OpResult {}

  /** What a get or first-created found. */
  record Found(Optional<Entry> entry) implements OpResult {}

  /** The entry that a read step found. */
  default Optional<Entry> entry() {
    if (this instanceof Found found) {
      return found.entry;
    }
    throw new IllegalStateException("not a read step");
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

import java.util.List;

/**
 * One page of a range.
 *
 * @param revision of the store when the range was read
 * @param entries in key order
 * @param more whether the limit cut the range short
 */
public record RangePage(long revision, List<Entry> entries, boolean more) {
  public RangePage {
    entries = List.copyOf(entries);
  }
}

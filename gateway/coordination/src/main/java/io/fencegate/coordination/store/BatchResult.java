/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

import java.util.List;

/** What a batch came to. The revision is the store's when the batch was committed or judged. */
public sealed interface BatchResult {

  long revision();

  /**
   * The outer compares held.
   *
   * @param revision that every key written by this batch has as modification revision
   */
  record Committed(long revision, List<MemberResult> members) implements BatchResult {
    public Committed {
      members = List.copyOf(members);
    }
  }

  /** An outer compare failed: no member was judged. */
  record Fenced(long revision, List<OpResult> results) implements BatchResult {
    public Fenced {
      results = List.copyOf(results);
    }
  }
}

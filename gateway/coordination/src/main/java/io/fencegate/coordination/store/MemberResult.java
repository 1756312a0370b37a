/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

import java.util.List;
import java.util.Optional;

/**
 * What one transaction of a batch came to.
 *
 * @param held whether all compares held, hence which branch ran
 * @param results of that branch's steps, in their order
 */
public record MemberResult(boolean held, List<OpResult> results) {

  public MemberResult {
    results = List.copyOf(results);
  }

  /** What the branch's step {@code index}, a read, found. */
  public Optional<Entry> entry(int index) {
    return results.get(index).entry();
  }
}

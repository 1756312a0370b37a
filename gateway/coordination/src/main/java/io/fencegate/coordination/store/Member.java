/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

import java.util.List;

/** One transaction of a batch: if all compares hold, {@code then}, else {@code otherwise}. */
public record Member(List<Compare> compares, List<Op> then, List<Op> otherwise) {

  public Member {
    compares = List.copyOf(compares);
    then = List.copyOf(then);
    otherwise = List.copyOf(otherwise);
  }

  /** The larger of its branches and its compares: what a store's limit on steps counts. */
  public int width() {
    return Math.max(compares.size(), Math.max(then.size(), otherwise.size()));
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

import java.util.List;

/**
 * Transactions that are committed together: if all outer compares hold, every member is judged and
 * run; else only {@code otherwise} is. All compares, outer and members', see the state before the
 * batch. {@link BatchRules} says what a batch may hold.
 *
 * @param otherwise reads
 */
public record Batch(List<Compare> outer, List<Member> members, List<Op> otherwise) {
  public Batch {
    outer = List.copyOf(outer);
    members = List.copyOf(members);
    otherwise = List.copyOf(otherwise);
  }
}

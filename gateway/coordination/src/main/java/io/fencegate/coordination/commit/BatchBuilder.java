/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchRules;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Member;
import io.fencegate.policy.token.Generation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Builds a batch of as many transactions as {@link BatchRules} lets through. Pure. */
final class BatchBuilder {

  private BatchBuilder() {}

  /**
   * What became of the transactions given.
   *
   * @param pending the batch's members, in its order
   * @param left what did not fit
   */
  record Built(List<Pending> pending, Batch batch, Generation generation, List<Pending> left) {}

  /**
   * Takes the first ones that fit together, at least one: what is too large by itself is the
   * store's to refuse.
   */
  static Built build(
      List<Pending> candidates,
      Generation generation,
      List<Compare> outer,
      Map<TtlClass, Bucket> buckets) {
    List<Member> members = new ArrayList<>(candidates.size());
    int bytes = BatchRules.bytes(new Batch(outer, List.of(), List.of()));
    int widest = 0;
    for (Pending candidate : candidates) {
      Member member = candidate.transaction().build(generation, buckets);
      bytes = Math.addExact(bytes, BatchRules.bytes(member));
      widest = Math.max(widest, member.width());
      int width = Math.max(members.size() + 1, outer.size()) + widest;
      boolean fits = bytes <= BatchRules.MAX_BYTES && width <= BatchRules.MAX_WIDTH;
      if (!fits && !members.isEmpty()) {
        break;
      }
      members.add(member);
    }
    return new Built(
        candidates.subList(0, members.size()),
        new Batch(outer, members, List.of()),
        generation,
        candidates.subList(members.size(), candidates.size()));
  }
}

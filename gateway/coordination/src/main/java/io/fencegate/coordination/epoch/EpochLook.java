/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import java.util.List;
import java.util.Map;

/** Reads what a verification reads, and raises nothing. */
record EpochLook(ResourceName resource, List<Op> look) implements Transaction {

  @Override
  public boolean putsNothing() {
    return true;
  }

  @Override
  public boolean needsHistory() {
    return true;
  }

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    return new Member(List.of(), look, List.of());
  }
}

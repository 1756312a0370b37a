/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.operator;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Member;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import java.util.List;
import java.util.Map;

/** Reads what breaking needs to know: lock, epoch and confirmed. */
record BreakLook(Keyspace keys, ResourceName resource) implements Transaction {

  @Override
  public boolean putsNothing() {
    return true;
  }

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    return new Member(List.of(), BreakTransaction.look(keys, resource), List.of());
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import java.util.List;
import java.util.Map;

/** Reads an epoch, linearizably. */
record LookTransaction(Keyspace keys, ResourceName resource) implements Transaction {
  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    return new Member(List.of(), List.of(new Op.Get(keys.epoch(resource))), List.of());
  }
}

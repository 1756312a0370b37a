/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

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

/**
 * Removes the record of what can not land any more. An id is never used for anything else, so being
 * late removes nothing that is still in doubt.
 */
record SettledTransaction(Keyspace keys, ResourceName resource, String id) implements Transaction {

  @Override
  public boolean putsNothing() {
    return true;
  }

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    return new Member(List.of(), List.of(new Op.Delete(keys.unresolved(resource, id))), List.of());
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import java.util.List;
import java.util.Map;

/**
 * Removes a mark that has not been put anew since. However late, it removes no other one.
 *
 * @param seen modification revision of the mark
 */
record UnmarkTransaction(Keyspace keys, ResourceName resource, long seen) implements Transaction {

  @Override
  public boolean putsNothing() {
    return true;
  }

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    Key active = keys.active(resource);
    return new Member(
        List.of(new Compare.ModifiedAt(active, seen)), List.of(new Op.Delete(active)), List.of());
  }
}

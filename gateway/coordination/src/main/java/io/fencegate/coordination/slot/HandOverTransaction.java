/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.SlotRecord;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import java.util.List;
import java.util.Map;

/**
 * Lets a slot go: as it was when this session took it -> put that it was drained. One that is late
 * does nothing to a slot that was taken again, by whomever.
 *
 * @param taken modification revision of the slot since it was taken
 */
record HandOverTransaction(Keyspace keys, int slot, String self, long taken)
    implements Transaction {

  @Override
  public ResourceName resource() {
    return TakeTransaction.standIn(slot);
  }

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    Key key = keys.slot(slot);
    return new Member(
        List.of(new Compare.ModifiedAt(key, taken)),
        List.of(new Op.Put(key, new SlotRecord(self, true).encode(), LeaseHandle.NONE)),
        List.of());
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.SlotRecord;
import io.fencegate.coordination.key.UnresolvedRecord;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Records what may still land, where the slot is this session's. Where it stands for the mark of a
 * session that ended, the mark is as it was seen and goes in the same step: at every moment either
 * the one or the other keeps newer tokens out.
 *
 * @param self the session that owns the slot
 * @param id names the record among those of the resource
 * @param mark modification revision of the mark it stands for; 0 for none
 */
record UnresolvedTransaction(
    Keyspace keys,
    ResourceName resource,
    String self,
    String id,
    UnresolvedRecord record,
    long mark)
    implements Transaction {

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    List<Compare> compares = new ArrayList<>();
    List<Op> steps = new ArrayList<>();
    compares.add(new Compare.ValuePrefix(keys.slot(Slots.of(resource)), SlotRecord.ownedBy(self)));
    steps.add(new Op.Put(keys.unresolved(resource, id), record.encode(), LeaseHandle.NONE));
    if (mark != 0) {
      Key active = keys.active(resource);
      compares.add(new Compare.ModifiedAt(active, mark));
      steps.add(new Op.Delete(active));
    }
    return new Member(compares, steps, List.of());
  }
}

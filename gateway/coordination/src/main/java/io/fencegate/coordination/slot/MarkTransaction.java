/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.MarkRecord;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Marks a resource as one that writes may be on their way to: the slot is this session's, and the
 * mark is the one that was seen -> put the mark. All branches read slot, mark and the first
 * unresolved write, as they were before.
 *
 * @param seen modification revision of the mark as last seen; 0 for none
 */
record MarkTransaction(Keyspace keys, ResourceName resource, MarkRecord mark, long seen)
    implements Transaction {

  static final int SLOT = 0;
  static final int MARK = 1;
  static final int UNRESOLVED = 2;

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    Key slot = keys.slot(Slots.of(resource));
    Key active = keys.active(resource);
    List<Op> look =
        List.of(
            new Op.Get(slot), new Op.Get(active), new Op.FirstCreated(keys.unresolved(resource)));
    List<Op> put = new ArrayList<>(look);
    put.add(new Op.Put(active, mark.encode(), LeaseHandle.NONE));
    return new Member(
        List.of(
            new Compare.ValuePrefix(slot, SlotRecord.ownedBy(mark.session())),
            new Compare.ModifiedAt(active, seen)),
        put,
        look);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.SlotRecord;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Entry;
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
 * Takes a slot: its entry as read; the session that owned it is gone -> put this session as its
 * owner. Made for one session: sent again under another it would only name one that has ended.
 */
record TakeTransaction(Keyspace keys, SlotPlan.Step.Take step, String self) implements Transaction {

  /** Slots are no resources; this only keeps two transactions of one slot out of one batch. */
  static ResourceName standIn(int slot) {
    return ResourceName.parse("slot/" + slot).orThrow();
  }

  @Override
  public ResourceName resource() {
    return standIn(step.slot());
  }

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    Key slot = keys.slot(step.slot());
    List<Compare> compares = new ArrayList<>();
    compares.add(new Compare.ModifiedAt(slot, step.seen().map(Entry::modRevision).orElse(0L)));
    step.ended().map(keys::gateway).map(Compare::absent).ifPresent(compares::add);
    return new Member(
        compares,
        List.of(new Op.Put(slot, new SlotRecord(self, false).encode(), LeaseHandle.NONE)),
        List.of());
  }
}

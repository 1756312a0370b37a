/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.operator;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.Generation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Frees a held lock and shuts its holder out: lock's create revision and epoch as read -> delete
 * lock, put epoch token + 1. An epoch that is higher already, or that tokens of another source
 * raise, stays. All branches read lock, epoch and confirmed.
 *
 * <p>Frees a lock of any generation, and also while history is lost: it issues nothing.
 */
record BreakTransaction(
    Keyspace keys, ResourceName resource, Entry lock, FencingToken fence, Optional<Entry> epoch)
    implements Transaction {

  static final int LOCK = 0;
  static final int EPOCH = 1;
  static final int CONFIRMED = 2;

  @Override
  public boolean needsHistory() {
    return false;
  }

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    Key epochKey = keys.epoch(resource);
    List<Op> steps = new ArrayList<>(look(keys, resource));
    steps.add(new Op.Delete(lock.key()));
    if (staying().isEmpty()) {
      steps.add(new Op.Put(epochKey, EpochRecord.fence(fence).encode(), LeaseHandle.NONE));
    }
    return new Member(
        List.of(
            new Compare.CreatedAt(lock.key(), lock.createRevision()),
            new Compare.ModifiedAt(epochKey, epoch.map(Entry::modRevision).orElse(0L))),
        steps,
        look(keys, resource));
  }

  /** The record of the epoch once it is committed. */
  EpochRecord after() {
    return staying().orElseGet(() -> EpochRecord.fence(fence));
  }

  private Optional<EpochRecord> staying() {
    return epoch.map(entry -> EpochRecord.decode(entry.value())).filter(this::stays);
  }

  /** A higher epoch stays, and one whose numbers are not those of locks. */
  private boolean stays(EpochRecord found) {
    return !found.isOfLocks() || !found.raised().isBelow(fence);
  }

  static List<Op> look(Keyspace keys, ResourceName resource) {
    return List.of(
        new Op.Get(keys.lock(resource)),
        new Op.Get(keys.epoch(resource)),
        new Op.Get(keys.confirmed(resource)));
  }
}

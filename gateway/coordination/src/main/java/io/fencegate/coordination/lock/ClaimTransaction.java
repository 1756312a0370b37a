/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import io.fencegate.policy.token.LeaseProof;
import java.util.List;
import java.util.Map;

/**
 * A repeat makes a grant its own that the first call might still give back: still as it was
 * granted, proof and generation match -> touch, onto the lease that the lock is on. Its time stays
 * as it is; only its modification revision moves, so that either this or the giving back takes
 * effect. While the compare holds, the lock is there and so is its lease.
 *
 * @param seen the lock as it was granted
 */
record ClaimTransaction(Keyspace keys, ResourceName resource, LeaseProof proof, Entry seen)
    implements Transaction {

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    Key lock = keys.lock(resource);
    return new Member(
        List.of(
            new Compare.ModifiedAt(lock, seen.createRevision()),
            new Compare.ValuePrefix(lock, LockRecord.ownership(proof, generation))),
        List.of(new Op.Touch(lock, seen.lease()), new Op.Get(lock)),
        List.of(new Op.Get(lock)));
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import io.fencegate.policy.token.LeaseProof;
import java.util.List;
import java.util.Map;

/**
 * Frees a lock that was granted to a caller who is gone: still as it was granted, proof and
 * generation match -> delete. A repeat of the request that found the grant has moved the lock (see
 * {@link ClaimTransaction}), and keeps it, however late this arrives.
 *
 * @param grantRevision the lock's create revision
 */
record GiveBackTransaction(
    Keyspace keys, ResourceName resource, LeaseProof proof, long grantRevision)
    implements Transaction {

  @Override
  public boolean putsNothing() {
    return true;
  }

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    Key lock = keys.lock(resource);
    return new Member(
        List.of(
            new Compare.ModifiedAt(lock, grantRevision),
            new Compare.ValuePrefix(lock, LockRecord.ownership(proof, generation))),
        List.of(new Op.Delete(lock)),
        List.of(new Op.Get(lock)));
  }
}

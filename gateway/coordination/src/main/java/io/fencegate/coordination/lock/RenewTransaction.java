/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import io.fencegate.policy.token.LeaseProof;
import java.util.List;
import java.util.Map;

/**
 * Moves a lock onto the current bucket: modification revision as read, proof and generation match
 * -> touch. The revision keeps a late renewal from moving the lock back onto an older bucket.
 */
final class RenewTransaction implements Transaction {

  private final Keyspace keys;
  private final ResourceName resource;
  private final LeaseProof proof;
  private final TtlClass ttlClass;
  private final long modRevision;
  private LeaseHandle lastLease = LeaseHandle.NONE;

  RenewTransaction(
      Keyspace keys, ResourceName resource, LeaseProof proof, TtlClass ttlClass, long modRevision) {
    this.keys = keys;
    this.resource = resource;
    this.proof = proof;
    this.ttlClass = ttlClass;
    this.modRevision = modRevision;
  }

  LeaseHandle lastLease() {
    return lastLease;
  }

  @Override
  public ResourceName resource() {
    return resource;
  }

  @Override
  public List<TtlClass> ttlClasses() {
    return List.of(ttlClass);
  }

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    Key lock = keys.lock(resource);
    lastLease = Transaction.bucket(buckets, ttlClass).lease();
    return new Member(
        List.of(
            new Compare.ModifiedAt(lock, modRevision),
            new Compare.ValuePrefix(lock, LockRecord.ownership(proof, generation))),
        List.of(new Op.Touch(lock, lastLease), new Op.Get(lock)),
        List.of(new Op.Get(lock)));
  }
}

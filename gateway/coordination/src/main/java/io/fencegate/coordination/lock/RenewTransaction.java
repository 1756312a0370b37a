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
import java.util.OptionalLong;

/**
 * Moves a lock onto the current bucket: modification revision as read, proof and generation match
 * -> touch. The revision keeps a late renewal from moving the lock back onto an older bucket.
 */
final class RenewTransaction implements Transaction {

  /**
   * The lock as last seen.
   *
   * @param expiresNanos when its lease runs out (monotonic); the past where that is not known
   */
  record Target(ResourceName resource, LeaseProof proof, long modRevision, long expiresNanos) {}

  private final Keyspace keys;
  private final Target target;
  private final TtlClass ttlClass;
  private LeaseHandle lastLease = LeaseHandle.NONE;

  RenewTransaction(Keyspace keys, Target target, TtlClass ttlClass) {
    this.keys = keys;
    this.target = target;
    this.ttlClass = ttlClass;
  }

  TtlClass ttlClass() {
    return ttlClass;
  }

  /** The lease of the last sending, hence of the lock if that was committed. */
  LeaseHandle lastLease() {
    return lastLease;
  }

  @Override
  public ResourceName resource() {
    return target.resource();
  }

  @Override
  public List<TtlClass> ttlClasses() {
    return List.of(ttlClass);
  }

  @Override
  public OptionalLong expiresNanos() {
    return OptionalLong.of(target.expiresNanos());
  }

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    Key lock = keys.lock(target.resource());
    lastLease = Transaction.bucket(buckets, ttlClass).lease();
    return new Member(
        List.of(
            new Compare.ModifiedAt(lock, target.modRevision()),
            new Compare.ValuePrefix(lock, LockRecord.ownership(target.proof(), generation))),
        List.of(new Op.Touch(lock, lastLease)),
        List.of(new Op.Get(lock)));
  }
}

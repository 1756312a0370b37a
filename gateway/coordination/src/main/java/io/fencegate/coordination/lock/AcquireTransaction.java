/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.key.RequestRecord;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import io.fencegate.policy.token.LeaseId;
import java.util.List;
import java.util.Map;

/**
 * Takes a free lock: lock absent, nobody waits, no reservation, request new -> put lock and
 * request. Reads nothing before; what stands in the way is read where a compare fails.
 */
final class AcquireTransaction implements Transaction {

  /** What the else branch reads, in its order. */
  static final int LOCK = 0;

  static final int REQUEST = 1;

  private final Keyspace keys;
  private final AcquireRequest request;
  private final LeaseId leaseId;
  private final long wallMillis;
  private LeaseHandle lastLease = LeaseHandle.NONE;

  AcquireTransaction(Keyspace keys, AcquireRequest request, LeaseId leaseId, long wallMillis) {
    this.keys = keys;
    this.request = request;
    this.leaseId = leaseId;
    this.wallMillis = wallMillis;
  }

  LeaseId leaseId() {
    return leaseId;
  }

  /** The lease of the last sending, hence of the lock if that was granted. */
  LeaseHandle lastLease() {
    return lastLease;
  }

  @Override
  public ResourceName resource() {
    return request.resource();
  }

  @Override
  public List<TtlClass> ttlClasses() {
    return List.of(request.ttlClass(), request.dedupClass());
  }

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    Bucket bucket = bucket(buckets, request.ttlClass());
    lastLease = bucket.lease();
    Key lock = keys.lock(resource());
    Key req = keys.request(resource(), request.principal(), request.requestId());
    return new Member(
        List.of(
            Compare.absent(lock),
            new Compare.RangeEmpty(keys.places(resource())),
            Compare.absent(keys.reserve(resource())),
            Compare.absent(req)),
        List.of(
            new Op.Put(lock, lockRecord(generation).encode(), bucket.lease()),
            new Op.Put(
                req,
                requestRecord(generation).encode(),
                bucket(buckets, request.dedupClass()).lease())),
        List.of(
            new Op.Get(lock),
            new Op.Get(req),
            new Op.Get(keys.place(resource(), request.principal(), request.requestId())),
            new Op.FirstCreated(keys.places(resource()))));
  }

  static Bucket bucket(Map<TtlClass, Bucket> buckets, TtlClass ttlClass) {
    Bucket bucket = buckets.get(ttlClass);
    if (bucket == null) {
      throw new IllegalStateException("no bucket of " + ttlClass);
    }
    return bucket;
  }

  /** The lock's record as it is put in this generation. */
  LockRecord lockRecord(Generation generation) {
    return new LockRecord(
        leaseId.proof(),
        generation,
        request.ttlClass().seconds(),
        wallMillis,
        request.holder(),
        request.metadataJson());
  }

  private RequestRecord requestRecord(Generation generation) {
    return new RequestRecord(
        0, leaseId, generation, request.ttlClass().index(), request.parameters());
  }
}

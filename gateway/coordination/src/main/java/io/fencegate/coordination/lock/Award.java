/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Attempt;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.key.RequestRecord;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.token.Generation;
import io.fencegate.policy.token.LeaseId;
import java.util.List;
import java.util.Map;

/**
 * What a call puts when it is granted the lock: the lock and, for its repeats, the request. Made
 * once per call, so that every sending of it is for the same lease.
 */
final class Award {

  private final Keyspace keys;
  private final AcquireRequest request;
  private final LeaseId leaseId;
  private final Attempt attempt;
  private LeaseHandle lastLease = LeaseHandle.NONE;
  private long lastWallMillis;

  Award(Keyspace keys, AcquireRequest request, LeaseId leaseId, Attempt attempt) {
    this.keys = keys;
    this.request = request;
    this.leaseId = leaseId;
    this.attempt = attempt;
  }

  AcquireRequest request() {
    return request;
  }

  LeaseId leaseId() {
    return leaseId;
  }

  /** The lease of the last sending, hence of the lock if that was granted. */
  LeaseHandle lastLease() {
    return lastLease;
  }

  /** The grant time of the last sending, hence of the lock if that was granted. */
  long lastWallMillis() {
    return lastWallMillis;
  }

  /** Whether this call is the one that was granted. */
  boolean isOf(RequestRecord granted) {
    return granted.leaseId().equals(leaseId);
  }

  List<TtlClass> ttlClasses() {
    return List.of(request.ttlClass(), request.dedupClass());
  }

  List<Op> puts(Generation generation, Map<TtlClass, Bucket> buckets, long wallMillis) {
    lastWallMillis = wallMillis;
    lastLease = Transaction.bucket(buckets, request.ttlClass()).lease();
    LockRecord lock =
        new LockRecord(
            leaseId.proof(),
            generation,
            request.ttlClass().seconds(),
            wallMillis,
            request.holder(),
            request.metadataJson());
    RequestRecord granted =
        new RequestRecord(
            attempt, leaseId, generation, request.ttlClass().index(), request.parameters());
    return List.of(
        new Op.Put(keys.lock(request.resource()), lock.encode(), lastLease),
        new Op.Put(
            keys.request(request.resource(), request.principal(), request.requestId()),
            granted.encode(),
            Transaction.bucket(buckets, request.dedupClass()).lease()));
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import java.util.List;
import java.util.Map;

/**
 * Takes a free lock: lock absent, nobody waits, no reservation, request new -> put lock and
 * request. Reads nothing before; what stands in the way is read where a compare fails. Newcomers do
 * not overtake: whoever finds somebody waiting has to wait as well.
 *
 * @param wallMillis when it is granted, for people
 */
record AcquireTransaction(Keyspace keys, Award award, long wallMillis) implements Transaction {

  /** What the else branch reads, in its order. */
  static final int LOCK = 0;

  static final int REQUEST = 1;
  static final int OWN_PLACE = 2;
  static final int HEAD = 3;

  @Override
  public ResourceName resource() {
    return award.request().resource();
  }

  @Override
  public boolean isNew() {
    return true;
  }

  @Override
  public List<TtlClass> ttlClasses() {
    return award.ttlClasses();
  }

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    AcquireRequest request = award.request();
    Key lock = keys.lock(resource());
    Key req = keys.request(resource(), request.principal(), request.requestId());
    return new Member(
        List.of(
            Compare.absent(lock),
            new Compare.RangeEmpty(keys.places(resource())),
            Compare.absent(keys.reserve(resource())),
            Compare.absent(req)),
        award.puts(generation, buckets, wallMillis),
        List.of(
            new Op.Get(lock),
            new Op.Get(req),
            new Op.Get(keys.place(resource(), request.principal(), request.requestId())),
            new Op.FirstCreated(keys.places(resource()))));
  }
}

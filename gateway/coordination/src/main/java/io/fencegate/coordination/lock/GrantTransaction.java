/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Attempt;
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
import java.util.stream.Stream;

/**
 * Takes a free lock for the first of its queue: lock absent, no reservation, request new, the entry
 * is this call's, no entry was created before it -> put lock and request, delete the entry.
 *
 * <p>"No entry before" is one compare over the whole queue, this call's entry included: every entry
 * was created after the revision before its own. No two entries have the same create revision,
 * since no batch holds two transactions of one resource.
 *
 * @param place the entry's create revision
 * @param wallMillis when it is granted, for people
 */
record GrantTransaction(Keyspace keys, Award award, Attempt attempt, long place, long wallMillis)
    implements Transaction {

  /** What the else branch reads, in its order. */
  static final int LOCK = 0;

  static final int REQUEST = 1;
  static final int HEAD = 2;
  static final int OWN_PLACE = 3;

  @Override
  public ResourceName resource() {
    return award.request().resource();
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
    Key own = keys.place(resource(), request.principal(), request.requestId());
    return new Member(
        List.of(
            Compare.absent(lock),
            Compare.absent(keys.reserve(resource())),
            Compare.absent(req),
            new Compare.ValuePrefix(own, attempt.exactly()),
            new Compare.RangeCreatedAfter(keys.places(resource()), place - 1)),
        Stream.concat(
                award.puts(generation, buckets, wallMillis).stream(), Stream.of(new Op.Delete(own)))
            .toList(),
        List.of(
            new Op.Get(lock),
            new Op.Get(req),
            new Op.FirstCreated(keys.places(resource())),
            new Op.Get(own)));
  }
}

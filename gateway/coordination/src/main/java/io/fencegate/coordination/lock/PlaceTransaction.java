/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Attempt;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.WaitRecord;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What a call does to its own entry in the queue while it waits. Whatever it is, it looks around on
 * the way: lock and head where it took effect, request and own entry where it did not.
 */
sealed interface PlaceTransaction extends Transaction {

  /** How long an entry outlives its gateway, or its call. */
  TtlClass TTL = TtlClass.atLeast(Duration.ofSeconds(5));

  /** What the then branch reads, after its one write. */
  int LOCK = 1;

  int HEAD = 2;

  /** What the else branch reads. */
  int REQUEST = 0;

  int OWN_PLACE = 1;

  Keyspace keys();

  AcquireRequest request();

  List<Compare> compares();

  Op write(LeaseHandle lease);

  default Key own() {
    return keys().place(resource(), request().principal(), request().requestId());
  }

  default Key decided() {
    return keys().request(resource(), request().principal(), request().requestId());
  }

  @Override
  default ResourceName resource() {
    return request().resource();
  }

  @Override
  default List<TtlClass> ttlClasses() {
    return List.of(TTL);
  }

  @Override
  default Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    return new Member(
        compares(),
        List.of(
            write(Transaction.bucket(buckets, TTL).lease()),
            new Op.Get(keys().lock(resource())),
            new Op.FirstCreated(keys().places(resource()))),
        List.of(new Op.Get(decided()), new Op.Get(own())));
  }

  private static Op put(Key own, AcquireRequest request, Attempt attempt, LeaseHandle lease) {
    WaitRecord entry =
        new WaitRecord(attempt, request.ttlClass().index(), request.parameters(), request.holder());
    return new Op.Put(own, entry.encode(), lease);
  }

  /** Takes a place at the end: request new, no entry of it -> put the entry. */
  record Enqueue(Keyspace keys, AcquireRequest request, Attempt attempt)
      implements PlaceTransaction {
    @Override
    public boolean isNew() {
      return true;
    }

    @Override
    public List<Compare> compares() {
      return List.of(Compare.absent(decided()), Compare.absent(own()));
    }

    @Override
    public Op write(LeaseHandle lease) {
      return put(own(), request, attempt, lease);
    }
  }

  /**
   * Takes over the place of an earlier call of the same request: its attempt and place as read ->
   * put the entry with this attempt; the create revision, hence the place, stays.
   */
  record Adopt(Keyspace keys, AcquireRequest request, Attempt attempt, Attempt earlier, long place)
      implements PlaceTransaction {
    @Override
    public List<Compare> compares() {
      return List.of(
          new Compare.ValuePrefix(own(), earlier.exactly()), new Compare.CreatedAt(own(), place));
    }

    @Override
    public Op write(LeaseHandle lease) {
      return put(own(), request, attempt, lease);
    }
  }

  /**
   * Keeps the entry from running out: the entry is this call's and as last seen -> touch it. So one
   * that is late does not move the entry back to a bucket that ends earlier.
   */
  record Keep(Keyspace keys, AcquireRequest request, Attempt attempt, long modRevision)
      implements PlaceTransaction {
    @Override
    public List<Compare> compares() {
      return List.of(
          new Compare.ValuePrefix(own(), attempt.exactly()),
          new Compare.ModifiedAt(own(), modRevision));
    }

    @Override
    public Op write(LeaseHandle lease) {
      return new Op.Touch(own(), lease);
    }
  }
}

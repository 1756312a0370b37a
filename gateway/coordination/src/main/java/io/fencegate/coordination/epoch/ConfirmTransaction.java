/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.Generation;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Records what the downstream accepted: confirmed absent, or below the token -> put.
 *
 * @param seen the record as last seen; null for none
 */
record ConfirmTransaction(
    Keyspace keys, ResourceName resource, FencingToken token, @Nullable FencingToken seen)
    implements Transaction {

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    Key key = keys.confirmed(resource);
    Compare lower =
        seen == null
            ? Compare.absent(key)
            : new Compare.ValueBelow(key, EpochRecord.exactly(token));
    return new Member(
        List.of(lower),
        List.of(new Op.Put(key, EpochRecord.accepted(token).encode(), LeaseHandle.NONE)),
        List.of(new Op.Get(key)));
  }
}

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
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.RequestId;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import java.util.List;
import java.util.Map;

/**
 * Leaves the queue: the entry is this attempt's -> delete it. Being late is harmless: no attempt is
 * used a second time, and a call that was cancelled is not to wait.
 */
record CancelTransaction(
    Keyspace keys, ResourceName resource, Principal principal, RequestId requestId, Attempt attempt)
    implements Transaction {

  /** What the else branch reads, in its order. */
  static final int REQUEST = 0;

  static final int OWN_PLACE = 1;

  @Override
  public boolean putsNothing() {
    return true;
  }

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    Key own = keys.place(resource, principal, requestId);
    return new Member(
        List.of(new Compare.ValuePrefix(own, attempt.exactly())),
        List.of(new Op.Delete(own)),
        List.of(new Op.Get(keys.request(resource, principal, requestId)), new Op.Get(own)));
  }
}

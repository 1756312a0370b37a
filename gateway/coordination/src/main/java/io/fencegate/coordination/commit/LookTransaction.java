/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import java.util.List;
import java.util.Map;

/** Reads one key of a resource, linearizably; what it found is the result's step 0. */
public record LookTransaction(ResourceName resource, Key key) implements Transaction {

  @Override
  public boolean putsNothing() {
    return true;
  }

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    return new Member(List.of(), List.of(new Op.Get(key)), List.of());
  }
}

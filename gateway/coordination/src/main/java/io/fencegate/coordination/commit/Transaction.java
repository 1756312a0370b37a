/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Member;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * One operation on one resource that commits with others. It may be built and sent more than once,
 * so that a repeat after doubt finds and recognises what the first sending did.
 */
public interface Transaction {

  /** Two transactions on one resource never share a batch. */
  ResourceName resource();

  /**
   * Whether it puts nothing, in neither branch: such ones travel apart, so that they pass when
   * nothing can be put.
   */
  default boolean deletesOnly() {
    return false;
  }

  /** The TTL classes whose buckets it puts keys on. */
  default List<TtlClass> ttlClasses() {
    return List.of();
  }

  /**
   * Until when it has to be committed for a lock not to run out (monotonic); empty: nothing runs
   * out. What runs out first is sent first.
   */
  default OptionalLong expiresNanos() {
    return OptionalLong.empty();
  }

  /**
   * The compares and steps, made anew for every sending.
   *
   * @param generation that the batch compares
   * @param buckets of all classes asked for
   */
  Member build(Generation generation, Map<TtlClass, Bucket> buckets);
}

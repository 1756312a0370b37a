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

  /** What it is about. */
  ResourceName resource();

  /**
   * Two transactions of one lane never share a batch, since each of them has to see what the other
   * did: those of one resource. What reads and writes a single key that no other kind of
   * transaction touches may keep to a lane of its own.
   */
  default Object lane() {
    return resource();
  }

  /**
   * Whether it puts nothing, in neither branch: such ones travel apart and compare no session, so
   * that they pass when nothing can be put, and this gateway's session has ended for that very
   * reason.
   *
   * <p>They may then be committed late, behind a later sending or behind the answer that they are
   * in doubt. So their own compares have to make that harmless. A release does: it deletes the one
   * lock whose secret its caller showed in order to give it up. No other lock ever has the same
   * proof, and a second time there is nothing to delete.
   */
  default boolean putsNothing() {
    return false;
  }

  /**
   * Whether it rests on the coordinator having all of its history: whatever issues a token, extends
   * a lease or confirms either. Refused while history is lost.
   */
  default boolean needsHistory() {
    return !putsNothing();
  }

  /**
   * Whether it asks for something new, so that it is refused before anything else when many wait.
   * What keeps a promise that was made, such as a place in a queue, is never new.
   */
  default boolean isNew() {
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

  /** The bucket of a class that was asked for. */
  static Bucket bucket(Map<TtlClass, Bucket> buckets, TtlClass ttlClass) {
    Bucket bucket = buckets.get(ttlClass);
    if (bucket == null) {
      throw new IllegalStateException("no bucket of " + ttlClass);
    }
    return bucket;
  }
}

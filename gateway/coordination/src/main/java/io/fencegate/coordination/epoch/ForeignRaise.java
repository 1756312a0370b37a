/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Raises the epoch to a token that is none of a lock: the source's proof; epoch absent, or the very
 * record that was judged and below token + 1 -> put epoch. The first raise puts the mark of the
 * source beside it, which keeps tokens of locks, far higher ones, from raising it.
 *
 * @param epoch the record as it was judged; empty for none
 * @param proof what must still hold of what was judged
 * @param look what all branches read
 */
record ForeignRaise(
    Keyspace keys,
    ResourceName resource,
    EpochRecord raised,
    Optional<Entry> epoch,
    List<Compare> proof,
    List<Op> look)
    implements Transaction {

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    Key key = keys.epoch(resource);
    Key mark = keys.epochSource(resource);
    List<Compare> compares = new ArrayList<>(proof);
    List<Op> raise = new ArrayList<>(look);
    raise.add(new Op.Put(key, raised.encode(), LeaseHandle.NONE));
    if (epoch.isEmpty()) {
      raise.add(new Op.Put(mark, raised.mark(), LeaseHandle.NONE));
      compares.add(Compare.absent(key));
      compares.add(Compare.absent(mark));
    } else {
      compares.add(new Compare.ModifiedAt(key, epoch.get().modRevision()));
      compares.add(new Compare.ValueBelow(key, EpochRecord.boundAbove(raised.raised())));
    }
    return new Member(compares, raise, look);
  }
}

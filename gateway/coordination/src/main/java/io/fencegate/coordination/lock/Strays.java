/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Entries in a queue that no gateway put there: without a lease, or under a name that no call has.
 * They would not leave by themselves and hold up everybody behind them, so whoever finds one at the
 * head of a queue removes it.
 */
record Strays(Desk desk) {

  /** How long the coordinator may take for one removal. */
  private static final Duration BUDGET = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(Strays.class);

  /** The first of a queue, if it is one. */
  Optional<Entry> among(Optional<Entry> head) {
    return head.filter(this::isStray);
  }

  private boolean isStray(Entry head) {
    return head.lease().equals(LeaseHandle.NONE) || !desk.keys().isPlace(head.key());
  }

  /** Completes when it is gone, or that failed: whoever still finds it tries again. */
  Future<Void> remove(ResourceName resource, Entry stray) {
    LOG.warn(
        "{} stands in the queue of {}, but no gateway put it there: removing it",
        stray.key(),
        resource);
    return desk.batcher()
        .submit(new Removal(resource, stray), desk.deadlineIn(BUDGET))
        .transform(done -> Future.succeededFuture());
  }

  /** The entry is as it was read -> delete it. Being late is harmless: no revision comes again. */
  private record Removal(ResourceName resource, Entry stray) implements Transaction {
    @Override
    public boolean putsNothing() {
      return true;
    }

    @Override
    public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
      return new Member(
          List.of(new Compare.ModifiedAt(stray.key(), stray.modRevision())),
          List.of(new Op.Delete(stray.key())),
          List.of());
    }
  }
}

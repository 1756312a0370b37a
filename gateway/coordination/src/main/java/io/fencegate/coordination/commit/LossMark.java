/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import io.fencegate.coordination.key.HistoryLostRecord;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.witness.CoordinatorHistory;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The mark by which gateways tell each other that history was lost. A gateway that did not ask
 * while the coordinator was behind cannot notice it by itself: heartbeats go on, and so the
 * revision climbs past what that gateway's witness knows.
 *
 * <p>The mark needs neither session nor lease, and none of the batches that are refused meanwhile.
 * Where there is no space it cannot be put; then nothing can be granted or extended either, and it
 * is tried again with every heartbeat. A gateway that starts after the space came back and before
 * the next heartbeat of one that knows, finds none.
 *
 * <p>Whoever has read an older mark, or none, commits nothing that puts once this one is there.
 */
final class LossMark {

  private static final Logger LOG = LoggerFactory.getLogger(LossMark.class);

  private final CoordinationStore store;
  private final Key key;
  private final CoordinatorHistory history;
  private Optional<HistoryLostRecord> known = Optional.empty();
  private long modRevision;
  private boolean failedBefore;

  LossMark(CoordinationStore store, Key key, CoordinatorHistory history) {
    this.store = store;
    this.key = key;
    this.history = history;
  }

  Op.Get get() {
    return new Op.Get(key);
  }

  /** It is as it was when it was last read. */
  Compare unchanged() {
    return new Compare.ModifiedAt(key, modRevision);
  }

  /** What the get found. */
  Optional<HistoryLostRecord> found(Optional<Entry> entry) {
    modRevision = entry.map(Entry::modRevision).orElse(0L);
    known = entry.map(it -> HistoryLostRecord.decode(it.value()));
    return known;
  }

  /** Puts the mark where history is lost and what is there does not say so; never fails. */
  Future<Void> tellOthers() {
    return history.mark().filter(this::isNew).map(this::put).orElseGet(Future::succeededFuture);
  }

  private boolean isNew(HistoryLostRecord mine) {
    return known.filter(it -> it.generation().compareTo(mine.generation()) >= 0).isEmpty();
  }

  private Future<Void> put(HistoryLostRecord mark) {
    Compare lower =
        known.isEmpty()
            ? Compare.absent(key)
            : new Compare.ValueBelow(key, HistoryLostRecord.boundBelow(mark.generation()));
    return GatewaySession.alone(
            store,
            new Member(
                List.of(lower),
                List.of(new Op.Put(key, mark.encode(), LeaseHandle.NONE), get()),
                List.of(get())))
        .map(
            answer -> {
              var result = answer.members().get(0);
              found(result.entry(result.results().size() - 1));
              failedBefore = false;
              return (Void) null;
            })
        .recover(this::notPut);
  }

  private Future<Void> notPut(Throwable failure) {
    if (!failedBefore) {
      LOG.error(
          "the other gateways cannot be told that the coordinator lost history, trying again: {}",
          failure.toString());
    }
    failedBefore = true;
    return Future.succeededFuture();
  }
}

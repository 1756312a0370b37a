/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import io.fencegate.coordination.key.GenerationRecord;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.witness.CoordinatorHistory;
import io.fencegate.coordination.witness.Position;
import io.fencegate.coordination.witness.RevisionWatchdog.Verdict;
import io.fencegate.policy.token.Generation;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/** The coordinator's generation as it is now; each answer shows whether history is intact. */
final class GenerationReader {

  private final CoordinationStore store;
  private final Key key;
  private final CoordinatorHistory history;
  private final LossMark mark;

  GenerationReader(CoordinationStore store, Key key, CoordinatorHistory history, LossMark mark) {
    this.store = store;
    this.key = key;
    this.history = history;
    this.mark = mark;
  }

  /** Empty in a coordinator that no gateway has used yet. */
  Future<Optional<Generation>> read() {
    Position floor = history.floor();
    return GatewaySession.alone(
            store, new Member(List.of(), List.of(new Op.Get(key), mark.get()), List.of()))
        .compose(answer -> judged(floor, answer));
  }

  private Future<Optional<Generation>> judged(Position floor, BatchResult.Committed answer) {
    var result = answer.members().get(0);
    Optional<Generation> found = result.entry(0).map(GenerationReader::of);
    Verdict verdict =
        history.answered(
            floor,
            new Position(found.orElse(Generation.FIRST), answer.revision()),
            mark.found(result.entry(1)));
    return verdict == Verdict.SUSPECT ? read() : Future.succeededFuture(found);
  }

  /**
   * Creates it where it is absent. Looks first, for where there is no space nothing is committed
   * that could put.
   */
  Future<Generation> ensured() {
    return read().compose(found -> found.map(Future::succeededFuture).orElseGet(this::created));
  }

  private Future<Generation> created() {
    Op.Put first =
        new Op.Put(key, new GenerationRecord(Generation.FIRST).encode(), LeaseHandle.NONE);
    Op.Get get = new Op.Get(key);
    return GatewaySession.alone(
            store, new Member(List.of(Compare.absent(key)), List.of(first, get), List.of(get)))
        .map(
            answer -> {
              var result = answer.members().get(0);
              return required(result.entry(result.results().size() - 1));
            });
  }

  /** The generation in an entry that every coordinator in use has. */
  static Generation required(Optional<Entry> entry) {
    return entry
        .map(GenerationReader::of)
        .orElseThrow(
            () -> new StoreException(StoreException.Kind.DEFINITE, "meta/generation was deleted"));
  }

  private static Generation of(Entry entry) {
    return GenerationRecord.decode(entry.value()).generation();
  }
}

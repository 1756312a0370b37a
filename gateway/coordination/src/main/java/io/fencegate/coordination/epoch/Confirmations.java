/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.RangePage;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/**
 * What downstreams are known to have accepted, of all resources. Another downstream has not
 * accepted it, so it is forgotten when a resource moves; its epoch stays. Used from one context.
 */
public final class Confirmations {

  /** As many steps as one transaction may have. */
  private static final int PAGE = 100;

  private static final Duration EACH = Duration.ofSeconds(5);

  private final CoordinationStore store;
  private final Keyspace keys;
  private final EpochKeeping keeping;
  private final Clocks clocks;

  public Confirmations(
      CoordinationStore store, Keyspace keys, EpochKeeping keeping, Clocks clocks) {
    this.store = store;
    this.keys = keys;
    this.keeping = keeping;
    this.clocks = clocks;
  }

  /**
   * Forgets it of the resources that are meant, while nothing is under way to them. Fails where it
   * may not be forgotten of all; harmless to repeat.
   */
  public Future<Void> forget(Predicate<ResourceName> meant) {
    return forget(keys.confirmed(), meant);
  }

  private Future<Void> forget(KeyRange range, Predicate<ResourceName> meant) {
    return store
        .range(range, PAGE)
        .compose(
            page ->
                forget(page, meant)
                    .compose(
                        unused ->
                            page.more()
                                ? forget(
                                    range.behind(
                                        page.entries().get(page.entries().size() - 1).key()),
                                    meant)
                                : Future.succeededFuture()));
  }

  private Future<Void> forget(RangePage page, Predicate<ResourceName> meant) {
    List<Entry> found =
        page.entries().stream()
            .filter(it -> keys.resourceOfConfirmed(it.key()).filter(meant).isPresent())
            .toList();
    if (found.isEmpty()) {
      return Future.succeededFuture();
    }
    Future<Void> inLedger = Future.succeededFuture();
    for (Entry entry : found) {
      ResourceName resource = keys.resourceOfConfirmed(entry.key()).orElseThrow();
      inLedger = inLedger.compose(unused -> inLedger(resource));
    }
    List<Op> deletes = found.stream().<Op>map(it -> new Op.Delete(it.key())).toList();
    return inLedger.compose(
        unused -> store.commitAlone(new Member(List.of(), deletes, List.of())).mapEmpty());
  }

  private Future<Void> inLedger(ResourceName resource) {
    long deadlineNanos = clocks.read().monotonicNanos() + EACH.toNanos();
    return keeping
        .<Boolean>with(
            deadlineNanos,
            () -> Future.succeededFuture(Ruling.granted(true)),
            ledger -> ledger.forgetConfirmed(resource, deadlineNanos))
        .compose(
            ruling ->
                ruling.fold(
                    unused -> Future.succeededFuture(),
                    refusal ->
                        Future.failedFuture(
                            new StoreException(
                                StoreException.Kind.INDEFINITE,
                                String.valueOf(refusal.detail())))));
  }
}

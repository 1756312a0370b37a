/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.freeze;

import io.fencegate.coordination.key.FreezeRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.freeze.Freeze;
import io.fencegate.policy.freeze.FreezeScope;
import io.fencegate.policy.freeze.Freezes;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Tells the other gateways, once for each freeze, that nothing it stops is under way here any more:
 * the freeze was read, so nothing more is let in, and what was let in before has ended. Used from
 * one context.
 */
public final class Drains {

  private static final Value DRAINED = Value.of("1\n");

  private final CoordinationStore store;
  private final Keyspace keys;
  private final Supplier<String> session;
  private final Map<String, Drain> drains = new HashMap<>();
  private Function<FreezeScope, Future<Void>> ended = scope -> Future.succeededFuture();

  /** How far this gateway is with one freeze. */
  private static final class Drain {
    private boolean drained;
    private String toldAs = "";
  }

  /**
   * Of a gateway with nothing under way.
   *
   * @param session the id of the gateway's session at present; empty while there is none
   */
  public Drains(CoordinationStore store, Keyspace keys, Supplier<String> session) {
    this.store = store;
    this.keys = keys;
    this.session = session;
  }

  /**
   * Writes are let in from now on.
   *
   * @param ended completes when all writes have ended that are under way at the time of the call
   *     and within the scope
   */
  public void follow(Function<FreezeScope, Future<Void>> ended) {
    this.ended = ended;
  }

  /** These are in force, and nothing is let in any more that they stop. */
  void adopted(Freezes freezes) {
    Map<String, Freeze> inForce =
        freezes.all().stream().collect(Collectors.toMap(Freeze::id, it -> it));
    drains.keySet().retainAll(inForce.keySet());
    inForce.forEach(this::follow);
  }

  private void follow(String id, Freeze freeze) {
    Drain drain = drains.get(id);
    if (drain == null) {
      Drain begun = new Drain();
      drains.put(id, begun);
      ended
          .apply(freeze.scope())
          .onComplete(
              unused -> {
                begun.drained = true;
                tell(id, begun);
              });
    } else {
      tell(id, drain);
    }
  }

  /** What is not told is told again after the next reading. */
  private void tell(String id, Drain drain) {
    String self = session.get();
    if (!drain.drained || self.isEmpty() || drain.toldAs.equals(self)) {
      return;
    }
    Member told =
        new Member(
            List.of(new Compare.ValuePrefix(keys.freeze(id), FreezeRecord.THERE)),
            List.of(new Op.Put(keys.drained(id, self), DRAINED, LeaseHandle.NONE)),
            List.of());
    store.commitAlone(told).onSuccess(unused -> drain.toldAs = self);
  }
}

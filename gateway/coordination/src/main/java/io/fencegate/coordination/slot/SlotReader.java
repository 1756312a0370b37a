/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.SessionRecord;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.RangePage;
import io.fencegate.coordination.store.Value;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads which sessions live and who owns which slot. Two reads: a slot may name a session that was
 * opened between them, and then the transaction that would take it decides. Used from one context.
 */
final class SlotReader {

  /** More slots than there are, and more gateways than one coordinator has. */
  private static final int MAX_ENTRIES = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(SlotReader.class);

  private final CoordinationStore store;
  private final Keyspace keys;

  /** Whether all gateways are known to hash resources as this one does. */
  private boolean agreed;

  SlotReader(CoordinationStore store, Keyspace keys) {
    this.store = store;
    this.keys = keys;
  }

  /** The first gateway says how resources are hashed; one that does it otherwise owns nothing. */
  private Future<Void> agree() {
    if (agreed) {
      return Future.succeededFuture();
    }
    Key key = keys.slotScheme();
    Value own = Value.of(Slots.SCHEME);
    Member member =
        new Member(
            List.of(Compare.absent(key)),
            List.of(new Op.Put(key, own, LeaseHandle.NONE)),
            List.of(new Op.Get(key)));
    return store
        .commitAlone(member)
        .compose(
            result -> {
              agreed =
                  result.held() || result.entry(0).filter(it -> it.value().equals(own)).isPresent();
              if (agreed) {
                return Future.succeededFuture();
              }
              LOG.error("gateways of this coordinator place resources otherwise: owning nothing");
              return Future.failedFuture("gateways place resources in different ways");
            });
  }

  /** Slots and sessions as they are now; fails where gateways place resources in different ways. */
  Future<SlotPlan.View> read() {
    return agree()
        .compose(unused -> store.range(keys.gateways(), MAX_ENTRIES))
        .compose(
            sessions ->
                store
                    .range(keys.slots(), MAX_ENTRIES)
                    .map(slots -> new SlotPlan.View(slots(slots), sessions(sessions))));
  }

  private Map<String, SessionRecord> sessions(RangePage page) {
    Map<String, SessionRecord> sessions = new HashMap<>();
    page.entries()
        .forEach(it -> sessions.put(keys.sessionOf(it.key()), SessionRecord.decode(it.value())));
    return sessions;
  }

  private Map<Integer, Entry> slots(RangePage page) {
    Map<Integer, Entry> slots = new HashMap<>();
    for (Entry entry : page.entries()) {
      OptionalInt number = keys.numberOfSlot(entry.key());
      if (number.isPresent()) {
        slots.put(number.getAsInt(), entry);
      }
    }
    return slots;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import io.fencegate.coordination.key.SessionRecord;
import io.fencegate.coordination.key.SlotRecord;
import io.fencegate.coordination.store.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a gateway does about the slots that it sees. Pure.
 *
 * <table>
 * <caption>per slot, first row that fits</caption>
 * <tr><th>slot</th><th>placed here</th><th>placed elsewhere</th></tr>
 * <tr><td>owned by this session</td><td>keep</td><td>hand over</td></tr>
 * <tr><td>nobody's yet, or drained by its last owner</td><td>take</td><td>nothing</td></tr>
 * <tr><td>owned by a session that has ended</td><td>take, after the delay</td><td>nothing</td></tr>
 * <tr><td>owned by another living session</td><td>nothing: it will hand over</td>
 *     <td>nothing</td></tr>
 * </table>
 */
final class SlotPlan {

  private SlotPlan() {}

  /**
   * What was read.
   *
   * @param slots by number
   * @param sessions those that live, by their ids; this gateway's among them
   */
  record View(Map<Integer, Entry> slots, Map<String, SessionRecord> sessions) {

    static final View NOTHING = new View(Map.of(), Map.of());

    Optional<SlotRecord> slot(int number) {
      return Optional.ofNullable(slots.get(number)).map(it -> SlotRecord.decode(it.value()));
    }

    /** Those that slots may be placed on. */
    List<String> candidates() {
      return sessions.entrySet().stream()
          .filter(it -> !it.getValue().leaving())
          .map(Map.Entry::getKey)
          .toList();
    }
  }

  /** One thing to do. */
  sealed interface Step {
    int slot();

    /**
     * Take the slot.
     *
     * @param seen its entry; empty where it never had an owner
     * @param ended the session that owned it and ended without handing over; empty for none
     */
    record Take(int slot, Optional<Entry> seen, Optional<String> ended) implements Step {}

    /** Another gateway is to have it. */
    record HandOver(int slot) implements Step {}
  }

  /** The steps to take, in the order of the slots. */
  static List<Step> of(View view, String self) {
    List<Step> steps = new ArrayList<>();
    for (int slot = 0; slot < Slots.COUNT; slot++) {
      step(slot, view, self).ifPresent(steps::add);
    }
    return steps;
  }

  private static Optional<Step> step(int slot, View view, String self) {
    boolean here = Slots.placed(slot, view.candidates()).filter(self::equals).isPresent();
    Optional<Entry> seen = Optional.ofNullable(view.slots().get(slot));
    Optional<SlotRecord> record = view.slot(slot);
    if (record.filter(it -> it.isOwnedBy(self)).isPresent()) {
      return here ? Optional.empty() : Optional.of(new Step.HandOver(slot));
    }
    Optional<String> owner = record.filter(it -> !it.drained()).map(SlotRecord::session);
    Set<String> living = view.sessions().keySet();
    return here && owner.filter(living::contains).isEmpty()
        ? Optional.of(new Step.Take(slot, seen, owner))
        : Optional.empty();
  }
}

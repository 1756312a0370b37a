/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.key.SessionRecord;
import io.fencegate.coordination.key.SlotRecord;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.policy.name.ResourceName;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SlotPlanTest {

  private static final List<String> THREE = List.of("alpha", "beta", "gamma");

  private static Entry slot(int number, String session, boolean drained) {
    return new Entry(
        new Key("p/slot/" + number),
        new SlotRecord(session, drained).encode(),
        1,
        number + 10,
        LeaseHandle.NONE);
  }

  private static SlotPlan.View view(Map<Integer, Entry> slots, String... sessions) {
    Map<String, SessionRecord> alive = new HashMap<>();
    for (String session : sessions) {
      boolean leaving = session.startsWith("leaving:");
      String id = leaving ? session.substring("leaving:".length()) : session;
      alive.put(id, new SessionRecord(0, "h:1", leaving));
    }
    return new SlotPlan.View(slots, alive);
  }

  private static Map<Integer, Entry> all(String session, boolean drained) {
    return IntStream.range(0, Slots.COUNT)
        .boxed()
        .collect(Collectors.toMap(it -> it, it -> slot(it, session, drained)));
  }

  private static Set<Integer> placedOn(String session, List<String> sessions) {
    return IntStream.range(0, Slots.COUNT)
        .filter(it -> Slots.placed(it, sessions).filter(session::equals).isPresent())
        .boxed()
        .collect(Collectors.toSet());
  }

  private static Set<Integer> taken(List<SlotPlan.Step> steps) {
    return steps.stream()
        .filter(SlotPlan.Step.Take.class::isInstance)
        .map(SlotPlan.Step::slot)
        .collect(Collectors.toSet());
  }

  private static Set<Integer> handedOver(List<SlotPlan.Step> steps) {
    return steps.stream()
        .filter(SlotPlan.Step.HandOver.class::isInstance)
        .map(SlotPlan.Step::slot)
        .collect(Collectors.toSet());
  }

  @Test
  void everySlotIsPlacedOnExactlyOneSessionAndWhoComesMovesOnlyItsShare() {
    Set<Integer> seen = new HashSet<>();
    THREE.forEach(it -> seen.addAll(placedOn(it, THREE)));
    assertThat(seen).hasSize(Slots.COUNT);
    List<String> four = List.of("alpha", "beta", "gamma", "delta");
    for (String session : THREE) {
      assertThat(placedOn(session, four)).isSubsetOf(placedOn(session, THREE));
    }
  }

  @Test
  void resourcesSpreadOverTheSlotsAndStayWhereTheyAre() {
    Set<Integer> used = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      used.add(Slots.of(ResourceName.parse("ledger/t" + i).orThrow()));
    }
    assertThat(used).hasSize(Slots.COUNT);
    // Gateways of different versions have to agree.
    assertThat(Slots.of(ResourceName.parse("ledger/acme").orThrow())).isEqualTo(15);
  }

  @Test
  void whatNobodyHasIsTakenByWhoItIsPlacedOnAlone() {
    Set<Integer> seen = new HashSet<>();
    for (String session : THREE) {
      Set<Integer> own = taken(SlotPlan.of(view(Map.of(), "alpha", "beta", "gamma"), session));
      assertThat(seen).doesNotContainAnyElementsOf(own);
      seen.addAll(own);
    }
    assertThat(seen).hasSize(Slots.COUNT);
  }

  @Test
  void whatALivingGatewayOwnsIsNotTakenButHandedOverByIt() {
    SlotPlan.View view = view(all("alpha", false), "alpha", "beta");
    assertThat(SlotPlan.of(view, "beta")).isEmpty();
    assertThat(handedOver(SlotPlan.of(view, "alpha")))
        .isEqualTo(placedOn("beta", List.of("alpha", "beta")));
  }

  @Test
  void whatAnEndedGatewayOwnedIsTakenWithItsNameSoThatTheDelayIsWaited() {
    List<SlotPlan.Step> steps = SlotPlan.of(view(all("gone", false), "alpha"), "alpha");
    assertThat(taken(steps)).hasSize(Slots.COUNT);
    assertThat(steps)
        .allMatch(
            it ->
                it instanceof SlotPlan.Step.Take take && take.ended().equals(Optional.of("gone")));
  }

  @Test
  void whatWasDrainedIsTakenWithoutWaitingForAnybody() {
    List<SlotPlan.Step> steps = SlotPlan.of(view(all("beta", true), "alpha", "beta"), "alpha");
    assertThat(taken(steps)).isEqualTo(placedOn("alpha", List.of("alpha", "beta")));
    assertThat(steps)
        .allMatch(it -> it instanceof SlotPlan.Step.Take take && take.ended().isEmpty());
  }

  @Test
  void whoLeavesHandsAllOverAndGetsNothing() {
    SlotPlan.View view = view(all("alpha", false), "leaving:alpha", "beta");
    assertThat(handedOver(SlotPlan.of(view, "alpha"))).hasSize(Slots.COUNT);
    assertThat(SlotPlan.of(view(Map.of(), "leaving:alpha"), "alpha")).isEmpty();
    assertThat(handedOver(SlotPlan.of(view(all("alpha", false), "leaving:alpha"), "alpha")))
        .hasSize(Slots.COUNT);
  }
}

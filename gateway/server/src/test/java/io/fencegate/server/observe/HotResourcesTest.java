/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.name.ResourceName;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HotResourcesTest {

  private static ResourceName resource(int number) {
    return ResourceName.parse("r/" + number).orThrow();
  }

  @Test
  void everyFrequentResourceIsThereAndNoCountIsTooLow() {
    int counters = 50;
    HotResources hot = new HotResources(counters);
    Random random = new Random(7);
    Map<ResourceName, Long> truth = new HashMap<>();
    int calls = 100_000;
    for (int i = 0; i < calls; i++) {
      // Half of all calls go to ten resources, the rest to ten thousand.
      int number = random.nextBoolean() ? random.nextInt(10) : random.nextInt(10_000);
      hot.called(resource(number));
      truth.merge(resource(number), 1L, Long::sum);
    }
    var top = hot.top(counters);
    assertThat(top).hasSize(counters);
    for (HotResources.Heat heat : top) {
      long real = truth.getOrDefault(heat.resource(), 0L);
      assertThat(real).isBetween(heat.calls() - heat.atMostTooHigh(), heat.calls());
    }
    assertThat(top.stream().map(HotResources.Heat::resource)).containsAll(frequent(truth, calls));
    assertThat(top).isSortedAccordingTo((a, b) -> Long.compare(b.calls(), a.calls()));
  }

  private static Iterable<ResourceName> frequent(Map<ResourceName, Long> truth, int calls) {
    return truth.entrySet().stream()
        .filter(entry -> entry.getValue() > calls / 50)
        .map(Map.Entry::getKey)
        .toList();
  }

  @Test
  void whatWasHotFadesAway() {
    HotResources hot = new HotResources(3);
    for (int i = 0; i < 8; i++) {
      hot.called(resource(1));
    }
    hot.fade();
    hot.called(resource(2));
    assertThat(hot.top(1)).containsExactly(new HotResources.Heat(resource(1), 4, 0));
    hot.fade();
    hot.fade();
    hot.fade();
    assertThat(hot.top(3)).isEmpty();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.observe;

import io.fencegate.policy.name.ResourceName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which resources are called the most, in a fixed amount of memory: the Space-Saving summary of
 * Metwally, Agrawal and El Abbadi ("Efficient Computation of Frequent and Top-k Elements in Data
 * Streams", 2005). A resource that is not counted yet takes the place of the one with the lowest
 * count and inherits that count as its possible error. So every resource with more than 1 / {@value
 * #COUNTERS} of all calls is here, and no count is too low.
 *
 * <p>{@link #fade} halves all counts, so that what was hot long ago cools down. Used from one
 * context.
 */
public final class HotResources {

  /** Some 100 KiB; far more than anybody looks at, so that the first ones are counted well. */
  static final int COUNTERS = 1_000;

  private final int counters;
  private final Map<ResourceName, Heat> heats = new HashMap<>();
  private final TreeMap<Long, Set<ResourceName>> byCalls = new TreeMap<>();

  /**
   * A resource that is called often.
   *
   * @param calls counted, never too low
   * @param atMostTooHigh by how much the count may be too high
   */
  public record Heat(ResourceName resource, long calls, long atMostTooHigh) {}

  public HotResources() {
    this(COUNTERS);
  }

  HotResources(int counters) {
    this.counters = counters;
  }

  /** Counts one call. */
  public void called(ResourceName resource) {
    Heat known = heats.get(resource);
    if (known != null) {
      replace(known, new Heat(resource, known.calls() + 1, known.atMostTooHigh()));
    } else if (heats.size() < counters) {
      add(new Heat(resource, 1, 0));
    } else {
      Heat coldest = coldest();
      replace(coldest, new Heat(resource, coldest.calls() + 1, coldest.calls()));
    }
  }

  /** The hottest ones, hottest first. */
  public List<Heat> top(int limit) {
    List<Heat> top = new ArrayList<>();
    Iterator<Set<ResourceName>> descending = byCalls.descendingMap().values().iterator();
    while (descending.hasNext() && top.size() < limit) {
      for (ResourceName resource : descending.next()) {
        if (top.size() < limit) {
          top.add(heatOf(resource));
        }
      }
    }
    return top;
  }

  /** Halves all counts; what comes to nothing is forgotten. */
  public void fade() {
    List<Heat> before = List.copyOf(heats.values());
    heats.clear();
    byCalls.clear();
    for (Heat heat : before) {
      if (heat.calls() > 1) {
        add(new Heat(heat.resource(), heat.calls() / 2, heat.atMostTooHigh() / 2));
      }
    }
  }

  private Heat coldest() {
    return heatOf(byCalls.firstEntry().getValue().iterator().next());
  }

  private Heat heatOf(ResourceName resource) {
    Heat heat = heats.get(resource);
    if (heat == null) {
      throw new IllegalStateException("not counted: " + resource);
    }
    return heat;
  }

  private void replace(Heat old, Heat next) {
    heats.remove(old.resource());
    Set<ResourceName> same = byCalls.getOrDefault(old.calls(), Set.of());
    same.remove(old.resource());
    if (same.isEmpty()) {
      byCalls.remove(old.calls());
    }
    add(next);
  }

  private void add(Heat heat) {
    heats.put(heat.resource(), heat);
    byCalls.computeIfAbsent(heat.calls(), unused -> new LinkedHashSet<>()).add(heat.resource());
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.fence;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What may still land, by resource and token. Bounded by what was under way: while there is a doubt
 * no newer token of its resource goes out, so that only tokens that had entered before can add one.
 */
final class Doubts {

  private final Map<ResourceName, TreeMap<FencingToken, Unresolved>> byResource = new HashMap<>();
  private long nextId = 1;

  void add(ResourceName resource, FencingToken token, OptionalLong settledAtNanos) {
    byResource
        .computeIfAbsent(resource, first -> new TreeMap<>())
        .compute(
            token,
            (same, known) ->
                known == null
                    ? new Unresolved(nextId++, resource, token, 1, settledAtNanos)
                    : known.and(settledAtNanos));
  }

  /** The oldest that keeps {@code token} out. */
  Optional<Unresolved> before(ResourceName resource, FencingToken token, ClockReading now) {
    dropSettled(resource, now);
    return Optional.ofNullable(byResource.get(resource))
        .map(doubts -> doubts.firstEntry().getValue())
        .filter(oldest -> oldest.token().isBelow(token));
  }

  int count(ResourceName resource, ClockReading now) {
    dropSettled(resource, now);
    TreeMap<FencingToken, Unresolved> doubts = byResource.get(resource);
    return doubts == null ? 0 : doubts.values().stream().mapToInt(Unresolved::writes).sum();
  }

  /** All of them, in the order in which they came. */
  List<Unresolved> all(ClockReading now) {
    List.copyOf(byResource.keySet()).forEach(resource -> dropSettled(resource, now));
    List<Unresolved> all = new ArrayList<>();
    byResource.values().forEach(doubts -> all.addAll(doubts.values()));
    all.sort(Comparator.comparingLong(Unresolved::id));
    return all;
  }

  Optional<Unresolved> resolve(long id, ClockReading now) {
    Optional<Unresolved> found = all(now).stream().filter(it -> it.id() == id).findFirst();
    found.ifPresent(it -> drop(it.resource(), it.token()));
    return found;
  }

  private void drop(ResourceName resource, FencingToken token) {
    byResource.computeIfPresent(
        resource,
        (same, doubts) -> {
          doubts.remove(token);
          return doubts.isEmpty() ? null : doubts;
        });
  }

  private void dropSettled(ResourceName resource, ClockReading now) {
    byResource.computeIfPresent(
        resource,
        (same, doubts) -> {
          doubts.values().removeIf(it -> it.isSettled(now));
          return doubts.isEmpty() ? null : doubts;
        });
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.fence;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What may still land, by resource. Those of one token are one, under the id of the last that
 * joined: who looked at the downstream when there were fewer resolves none of them. Bounded by what
 * was under way: while there is a doubt no newer token of its resource goes out, so that only
 * tokens that had entered before can add one.
 */
final class Doubts {

  private final Map<ResourceName, Map<String, Unresolved>> byResource = new LinkedHashMap<>();

  void add(ResourceName resource, FencingToken token, String id, OptionalLong settledAtNanos) {
    Optional<Unresolved> same =
        of(resource).values().stream().filter(it -> it.token().equals(token)).findFirst();
    same.ifPresent(it -> drop(resource, it.id()));
    add(
        same.map(it -> it.and(id, settledAtNanos))
            .orElseGet(() -> new Unresolved(id, resource, token, 1, settledAtNanos)));
  }

  void add(Unresolved unresolved) {
    byResource
        .computeIfAbsent(unresolved.resource(), first -> new LinkedHashMap<>())
        .put(unresolved.id(), unresolved);
  }

  private Map<String, Unresolved> of(ResourceName resource) {
    return byResource.getOrDefault(resource, Map.of());
  }

  /** The oldest that keeps {@code token} out. */
  Optional<Unresolved> before(ResourceName resource, FencingToken token, ClockReading now) {
    dropSettled(resource, now);
    return of(resource).values().stream()
        .filter(it -> it.token().isBelow(token))
        .min(Comparator.comparing(Unresolved::token));
  }

  int count(ResourceName resource, ClockReading now) {
    dropSettled(resource, now);
    return of(resource).values().stream().mapToInt(Unresolved::writes).sum();
  }

  /** The ids of one resource's. */
  Set<String> ids(ResourceName resource, ClockReading now) {
    dropSettled(resource, now);
    return Set.copyOf(of(resource).keySet());
  }

  /** All of them, resource by resource. */
  List<Unresolved> all(ClockReading now) {
    List.copyOf(byResource.keySet()).forEach(resource -> dropSettled(resource, now));
    List<Unresolved> all = new ArrayList<>();
    byResource.values().forEach(doubts -> all.addAll(doubts.values()));
    return all;
  }

  Optional<Unresolved> resolve(String id, ClockReading now) {
    Optional<Unresolved> found = all(now).stream().filter(it -> it.id().equals(id)).findFirst();
    found.ifPresent(it -> drop(it.resource(), it.id()));
    return found;
  }

  void forget(ResourceName resource) {
    byResource.remove(resource);
  }

  private void drop(ResourceName resource, String id) {
    byResource.computeIfPresent(
        resource,
        (same, doubts) -> {
          doubts.remove(id);
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

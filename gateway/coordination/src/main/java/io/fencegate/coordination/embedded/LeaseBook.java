/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;

/** The leases that live, and the keys on them. Used by the writer's thread only. */
final class LeaseBook {

  private final Map<LeaseHandle, Lease> leases = new HashMap<>();
  private final Map<LeaseHandle, Set<Key>> keys = new HashMap<>();
  private final PriorityQueue<Lease> byDeadline = new PriorityQueue<>(Lease::byDeadline);

  void add(Lease lease) {
    leases.put(lease.handle(), lease);
    byDeadline.add(lease);
  }

  void remove(Lease lease) {
    leases.remove(lease.handle());
    byDeadline.remove(lease);
  }

  boolean holds(LeaseHandle handle) {
    return leases.containsKey(handle);
  }

  Optional<Lease> find(LeaseHandle handle) {
    return Optional.ofNullable(leases.get(handle));
  }

  Optional<Lease> soonest() {
    return Optional.ofNullable(byDeadline.peek());
  }

  void attach(LeaseHandle handle, Key key) {
    if (!handle.equals(LeaseHandle.NONE)) {
      keys.computeIfAbsent(handle, h -> new TreeSet<>()).add(key);
    }
  }

  void detach(LeaseHandle handle, Key key) {
    keys.computeIfPresent(
        handle,
        (h, attached) -> {
          attached.remove(key);
          return attached.isEmpty() ? null : attached;
        });
  }

  Collection<Key> keysOn(LeaseHandle handle) {
    return Set.copyOf(keys.getOrDefault(handle, Set.of()));
  }
}

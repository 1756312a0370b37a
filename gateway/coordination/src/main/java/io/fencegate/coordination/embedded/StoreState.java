/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.LeaseTtl;
import io.fencegate.coordination.store.RangePage;
import io.fencegate.coordination.store.Value;
import io.fencegate.coordination.store.WatchEvent;
import io.fencegate.policy.time.ClockReading;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * All that the store holds, in memory. Used by the writer's thread only.
 *
 * <p>Changes are made in groups: {@link #begin}, any number of changes, then {@link #keep} once the
 * disk has taken {@link #changes}, or {@link #undo} when it has not, so that memory and disk agree.
 * Within a group every transaction that changes something is a revision: changes, then {@link
 * #seal}.
 */
final class StoreState {

  private final TreeMap<Key, Entry> entries = new TreeMap<>();
  private final LeaseBook leases = new LeaseBook();
  private long revision;
  private long lastLease;
  private long nowNanos;

  private final List<WatchEvent> unsealed = new ArrayList<>();
  private final List<Revision> revisions = new ArrayList<>();
  private final List<Lease> granted = new ArrayList<>();
  private final List<LeaseHandle> ended = new ArrayList<>();
  private final Deque<Runnable> inverses = new ArrayDeque<>();

  /** Takes over what was stored. Every lease gets its whole time again, counted from now. */
  StoreState(StoredState stored, ClockReading now) {
    revision = stored.revision();
    lastLease = stored.lastLease();
    nowNanos = now.monotonicNanos();
    for (StoredState.StoredLease lease : stored.leases()) {
      leases.add(Lease.from(nowNanos, new LeaseHandle(lease.id()), lease.ttlSeconds()));
    }
    for (Entry entry : stored.entries()) {
      entries.put(entry.key(), entry);
      leases.attach(entry.lease(), entry.key());
    }
  }

  /** Begins a group: what has run out by now is gone before anything is judged. */
  void begin(ClockReading now) {
    nowNanos = now.monotonicNanos();
    for (Optional<Lease> due = due(now); due.isPresent(); due = due(now)) {
      end(due.get());
    }
    seal();
  }

  private Optional<Lease> due(ClockReading now) {
    return leases.soonest().filter(lease -> !now.isBefore(lease.deadlineNanos()));
  }

  private void end(Lease lease) {
    leases.keysOn(lease.handle()).stream().sorted().forEach(this::delete);
    leases.remove(lease);
    ended.add(lease.handle());
    inverses.push(() -> leases.add(lease));
  }

  long revision() {
    return revision;
  }

  OptionalLong soonestDeadlineNanos() {
    return leases.soonest().map(lease -> OptionalLong.of(lease.deadlineNanos())).orElse(NEVER);
  }

  private static final OptionalLong NEVER = OptionalLong.empty();

  Optional<Entry> get(Key key) {
    return Optional.ofNullable(entries.get(key));
  }

  Collection<Entry> in(KeyRange range) {
    return entries.subMap(range.from(), range.to()).values();
  }

  RangePage page(KeyRange range, int limit) {
    Collection<Entry> all = in(range);
    List<Entry> page = all.stream().limit(limit + 1L).toList();
    boolean more = page.size() > limit;
    return new RangePage(revision, more ? page.subList(0, limit) : page, more);
  }

  boolean isLive(LeaseHandle lease) {
    return lease.equals(LeaseHandle.NONE) || leases.holds(lease);
  }

  LeaseTtl timeToLive(LeaseHandle handle) {
    Optional<Lease> lease = leases.find(handle);
    if (lease.isEmpty()) {
      return new LeaseTtl.Gone();
    }
    long remainingNanos = lease.get().deadlineNanos() - nowNanos;
    return new LeaseTtl.Alive(TimeUnit.NANOSECONDS.toSeconds(remainingNanos));
  }

  LeaseHandle grant(long ttlSeconds) {
    long before = lastLease;
    lastLease = before + 1;
    Lease lease = Lease.from(nowNanos, new LeaseHandle(lastLease), ttlSeconds);
    leases.add(lease);
    granted.add(lease);
    inverses.push(
        () -> {
          leases.remove(lease);
          lastLease = before;
        });
    return lease.handle();
  }

  void put(Key key, Value value, LeaseHandle lease) {
    long created = get(key).map(Entry::createRevision).orElse(revision + 1);
    Entry entry = new Entry(key, value, created, revision + 1, lease);
    replace(key, Optional.of(entry));
    unsealed.add(new WatchEvent.Changed(entry));
  }

  /** Does nothing where the key is absent. */
  void delete(Key key) {
    if (entries.containsKey(key)) {
      replace(key, Optional.empty());
      unsealed.add(new WatchEvent.Deleted(key, revision + 1));
    }
  }

  private void replace(Key key, Optional<Entry> entry) {
    Optional<Entry> before = get(key);
    store(key, entry);
    inverses.push(() -> store(key, before));
  }

  private void store(Key key, Optional<Entry> entry) {
    get(key).ifPresent(old -> leases.detach(old.lease(), key));
    entry.ifPresentOrElse(e -> entries.put(key, e), () -> entries.remove(key));
    entry.ifPresent(e -> leases.attach(e.lease(), key));
  }

  /** Makes the changes since the last call a revision, if there are any. */
  void seal() {
    if (!unsealed.isEmpty()) {
      revision++;
      revisions.add(new Revision(revision, unsealed));
      unsealed.clear();
      inverses.push(() -> revision--);
    }
  }

  /** What this group changed so far. */
  Changes changes() {
    return new Changes(revisions, granted, ended);
  }

  void keep() {
    forgetGroup();
  }

  void undo() {
    inverses.forEach(Runnable::run);
    forgetGroup();
  }

  private void forgetGroup() {
    unsealed.clear();
    revisions.clear();
    granted.clear();
    ended.clear();
    inverses.clear();
  }
}

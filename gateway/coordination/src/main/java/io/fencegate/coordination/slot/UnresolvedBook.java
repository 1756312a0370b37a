/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.UnresolvedRecord;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.policy.fence.Unresolved;
import io.fencegate.policy.model.UnresolvedPolicy;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of what may still land: those of this gateway's resources as the barrier knows them,
 * kept in step with the coordinator. A record is put as soon as there is a doubt, and removed once
 * the doubt has settled here; one that an operator removed through another gateway settles here.
 * Used from one context.
 */
final class UnresolvedBook {

  /** What a transaction that nobody waits for may take. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Records that are read at once; there is one per resource and token. */
  private static final int MAX_RECORDS = 10_000;

  /** Between two questions to a downstream; doubled each time, to {@link #LONGEST_PAUSE}. */
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  /** Names that one record has: more writes of one token in doubt are for people to look at. */
  private static final int MAX_NAMES = 100;

  private static final Logger LOG = LoggerFactory.getLogger(UnresolvedBook.class);

  private static final int SESSION_CHARS = 8;

  private final Custody.Parts parts;
  private final Map<ResourceName, Map<String, Known>> known = new HashMap<>();
  private boolean comparing;
  private long lastId;
  private DoubtProbe probe = DoubtProbe.NOBODY;

  /** A record, and whether the coordinator is known to have it. */
  private static final class Known {
    final UnresolvedRecord record;
    boolean durable;
    boolean busy;
    boolean asking;
    long askAtNanos;
    Duration pause = FIRST_PAUSE;

    Known(UnresolvedRecord record, boolean durable, long nowNanos) {
      this.askAtNanos = nowNanos;
      this.record = record;
      this.durable = durable;
    }
  }

  UnresolvedBook(Custody.Parts parts) {
    this.parts = parts;
  }

  void askBy(DoubtProbe newProbe) {
    probe = newProbe;
  }

  DoubtProbe probe() {
    return probe;
  }

  /** An id that nothing else ever has, in no gateway. */
  String newId(String kind) {
    String self = parts.slots().self();
    lastId++;
    return kind + "-" + self.substring(0, Math.min(SESSION_CHARS, self.length())) + "-" + lastId;
  }

  /** Whether a record is one that has been read, or put, under this tenure. */
  private boolean knows(ResourceName resource, Key record) {
    return known.getOrDefault(resource, Map.of()).containsKey(Keyspace.idOfUnresolved(record));
  }

  /** Whether a successor would find everything that is in doubt here. */
  boolean isDurable(ResourceName resource) {
    return known.getOrDefault(resource, Map.of()).values().stream().allMatch(it -> it.durable);
  }

  /** The lowest token in doubt that a successor would not find. */
  Optional<FencingToken> lowestNotDurable(ResourceName resource) {
    return known.getOrDefault(resource, Map.of()).values().stream()
        .filter(it -> !it.durable)
        .map(it -> it.record.token())
        .min(Comparator.naturalOrder());
  }

  /**
   * Reads what earlier owners left; it counts as settled as long after now as the policy says, and
   * as who ended may still have been sending it.
   */
  Future<Void> load(ResourceName resource, UnresolvedPolicy policy) {
    return parts
        .store()
        .range(parts.keys().unresolved(resource), MAX_RECORDS)
        .map(
            page -> {
              ClockReading now = parts.clocks().read();
              page.entries().forEach(it -> learn(resource, it, policy, now));
              return null;
            });
  }

  private void learn(
      ResourceName resource, Entry entry, UnresolvedPolicy policy, ClockReading now) {
    String id = Keyspace.idOfUnresolved(entry.key());
    if (!knows(resource, entry.key())) {
      UnresolvedRecord record = UnresolvedRecord.decode(entry.value());
      OptionalLong settledAtNanos =
          policy
              .settleAfter()
              .map(
                  it ->
                      OptionalLong.of(now.monotonicNanos() + it.plus(record.underWay()).toNanos()))
              .orElseGet(OptionalLong::empty);
      of(resource).put(id, new Known(record, true, now.monotonicNanos()));
      parts.barrier().doubt(new Unresolved(id, resource, record.token(), 1, settledAtNanos));
    }
  }

  private Map<String, Known> of(ResourceName resource) {
    return known.computeIfAbsent(resource, unused -> new HashMap<>());
  }

  /** Something of this gateway's may still land. */
  void record(ResourceName resource, String id, UnresolvedRecord record) {
    if (!of(resource).containsKey(id)) {
      Known one =
          new Known(
              withNamesOfItsToken(resource, record), false, parts.clocks().read().monotonicNanos());
      of(resource).put(id, one);
      put(resource, id, one);
    }
  }

  /** The barrier has made all doubts of one token one: it is settled when all of them are. */
  private UnresolvedRecord withNamesOfItsToken(ResourceName resource, UnresolvedRecord record) {
    List<UnresolvedRecord> same = new ArrayList<>();
    same.add(record);
    of(resource).values().stream()
        .map(it -> it.record)
        .filter(it -> it.token().equals(record.token()))
        .forEach(same::add);
    List<String> names = same.stream().flatMap(it -> it.names().stream()).distinct().toList();
    boolean allNamed = same.stream().noneMatch(it -> it.names().isEmpty());
    return record.named(allNamed && names.size() <= MAX_NAMES ? names : List.of());
  }

  private void put(ResourceName resource, String id, Known one) {
    one.busy = true;
    parts
        .commits()
        .submit(
            new UnresolvedTransaction(
                parts.keys(), resource, parts.slots().self(), id, one.record, 0),
            deadlineNanos())
        .onComplete(
            done -> {
              one.busy = false;
              one.durable = done.result() instanceof Commit.Judged judged && judged.result().held();
            });
  }

  // ---- in step with the coordinator

  void sweep(ClockReading now) {
    forgetForeign();
    boolean open = false;
    for (ResourceName resource : List.copyOf(known.keySet())) {
      Set<String> doubts = parts.barrier().unresolvedIds(resource, now);
      for (Map.Entry<String, Known> it : List.copyOf(of(resource).entrySet())) {
        open |= doubts.contains(it.getKey());
        if (doubts.contains(it.getKey())) {
          ask(resource, it.getKey(), it.getValue(), now);
        }
        sweep(resource, it.getKey(), it.getValue(), doubts.contains(it.getKey()));
      }
      if (of(resource).isEmpty()) {
        known.remove(resource);
      }
    }
    if (open && !comparing) {
      compare();
    }
  }

  private void sweep(ResourceName resource, String id, Known one, boolean inDoubt) {
    if (one.busy) {
      return;
    }
    if (!inDoubt) {
      one.busy = true;
      remove(resource, id).onComplete(unused -> one.busy = false);
    } else if (!one.durable) {
      put(resource, id, one);
    }
  }

  // ---- what downstreams say

  private void ask(ResourceName resource, String id, Known one, ClockReading now) {
    List<String> names = one.record.names();
    if (one.asking
        || names.isEmpty()
        || now.isBefore(one.askAtNanos)
        || !probe.canBeAsked(resource)) {
      return;
    }
    one.asking = true;
    Future.join(names.stream().map(it -> probe.isSettled(resource, it)).toList())
        .onComplete(
            answers -> {
              one.asking = false;
              boolean settled =
                  answers.succeeded()
                      && answers.result().<Boolean>list().stream().allMatch(it -> it);
              answered(resource, id, one, settled);
            });
  }

  private void answered(ResourceName resource, String id, Known one, boolean settled) {
    ClockReading now = parts.clocks().read();
    if (settled) {
      LOG.info("nothing of doubt {} about {} can land, says the downstream", id, resource);
      parts.barrier().resolve(id, now);
      return;
    }
    one.askAtNanos = now.monotonicNanos() + one.pause.toNanos();
    Duration twice = one.pause.multipliedBy(2);
    one.pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
  }

  private Future<Boolean> remove(ResourceName resource, String id) {
    return parts
        .commits()
        .submit(new SettledTransaction(parts.keys(), resource, id), deadlineNanos())
        .map(
            commit -> {
              boolean removed = commit instanceof Commit.Judged;
              if (removed) {
                forget(resource, id);
              }
              return removed;
            });
  }

  private void forget(ResourceName resource, String id) {
    known.computeIfPresent(
        resource,
        (same, ids) -> {
          ids.remove(id);
          return ids.isEmpty() ? null : ids;
        });
  }

  /** What the coordinator no longer has was resolved through another gateway. */
  private void compare() {
    comparing = true;
    Map<String, ResourceName> durable = new HashMap<>();
    known.forEach(
        (resource, ids) ->
            ids.forEach(
                (id, one) -> {
                  if (one.durable) {
                    durable.put(id, resource);
                  }
                }));
    parts
        .store()
        .range(parts.keys().unresolved(), MAX_RECORDS)
        .onComplete(
            read -> {
              comparing = false;
              if (read.succeeded() && !read.result().more()) {
                read.result()
                    .entries()
                    .forEach(it -> durable.remove(Keyspace.idOfUnresolved(it.key())));
                durable.forEach(this::resolvedElsewhere);
              }
            });
  }

  private void resolvedElsewhere(String id, ResourceName resource) {
    parts.barrier().resolve(id, parts.clocks().read());
    forget(resource, id);
  }

  /** What is in doubt of resources of other gateways is theirs to know. */
  void forgetForeign() {
    for (ResourceName resource : List.copyOf(known.keySet())) {
      if (!parts.slots().owns(resource)) {
        known.remove(resource);
        parts.barrier().forgetUnresolved(resource);
      }
    }
  }

  // ---- operators

  Future<List<Custody.Listed>> list() {
    return parts
        .store()
        .range(parts.keys().unresolved(), MAX_RECORDS)
        .map(page -> listed(page.entries()));
  }

  private List<Custody.Listed> listed(List<Entry> entries) {
    Map<String, Unresolved> here = new HashMap<>();
    parts.barrier().unresolved(parts.clocks().read()).forEach(it -> here.put(it.id(), it));
    List<Custody.Listed> all = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (Entry entry : entries) {
      String id = Keyspace.idOfUnresolved(entry.key());
      Optional<ResourceName> resource = parts.keys().resourceOfUnresolved(entry.key());
      if (resource.isPresent() && !isSettledHere(resource.get(), id, here) && seen.add(id)) {
        all.add(
            new Custody.Listed(
                id,
                resource.get(),
                UnresolvedRecord.decode(entry.value()),
                Optional.ofNullable(here.get(id))));
      }
    }
    known.forEach(
        (resource, ids) ->
            ids.forEach(
                (id, one) -> {
                  if (here.containsKey(id) && seen.add(id)) {
                    all.add(
                        new Custody.Listed(
                            id, resource, one.record, Optional.ofNullable(here.get(id))));
                  }
                }));
    return all;
  }

  /** Known here, and in doubt no more: it is about to be removed. */
  private boolean isSettledHere(ResourceName resource, String id, Map<String, Unresolved> here) {
    return known.getOrDefault(resource, Map.of()).containsKey(id) && !here.containsKey(id);
  }

  /** The record with this id, removed. */
  Future<Optional<Custody.Listed>> resolve(String id) {
    return list()
        .map(all -> all.stream().filter(it -> it.id().equals(id)).findFirst())
        .compose(
            found ->
                found.isEmpty()
                    ? Future.succeededFuture(found)
                    : remove(found.get().resource(), id)
                        .compose(
                            removed -> {
                              if (!removed) {
                                return Future.failedFuture("the coordinator did not answer");
                              }
                              parts.barrier().resolve(id, parts.clocks().read());
                              return Future.succeededFuture(found);
                            }));
  }

  private long deadlineNanos() {
    return parts.clocks().read().monotonicNanos() + PATIENCE.toNanos();
  }
}

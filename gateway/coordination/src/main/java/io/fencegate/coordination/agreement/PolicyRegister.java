/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.agreement;

import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.PolicyRecord;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchRules;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.agreement.Agreement;
import io.fencegate.policy.agreement.Agreement.Standing;
import io.fencegate.policy.agreement.PolicyTerms;
import io.fencegate.policy.agreement.Recorded;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.outcome.Refusal;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This gateway's policies beside those that all gateways share. A policy that nobody has recorded
 * is recorded as this gateway has it; one that is recorded otherwise is not in force here, until
 * {@link io.fencegate.coordination.operator.PolicySwitch} puts it in force.
 *
 * <p>What is recorded is read right after the freezes were, and counts together with them: see
 * {@link io.fencegate.coordination.freeze.FreezeBoard}. A switch freezes the policy, and puts the
 * record and lifts the freeze in one transaction; so whoever no longer sees the freeze sees the
 * record.
 *
 * <p>Used from one context.
 */
public final class PolicyRegister {

  private static final int PAGE = 1_000;

  /** One transaction has no more compares. */
  private static final int MOST_COMPARED = 100;

  private static final Logger LOG = LoggerFactory.getLogger(PolicyRegister.class);

  private final CoordinationStore store;
  private final Keyspace keys;
  private final List<Runnable> listeners = new ArrayList<>();
  private Agreement agreement = new Agreement(Map.of(), Map.of());
  private Map<PolicyName, Standing> standings = Map.of();

  /** A register that has read nothing yet, of a gateway without policies. */
  public PolicyRegister(CoordinationStore store, Keyspace keys) {
    this.store = store;
    this.keys = keys;
  }

  /**
   * Told when a policy was added or switched: what is known of its resources' downstreams is void.
   */
  public void listen(Runnable onSwitched) {
    listeners.add(onSwitched);
  }

  /** The gateway's policies are these from now on. */
  public void own(Collection<PolicyTerms> policies) {
    Map<PolicyName, PolicyTerms> own = new HashMap<>();
    policies.forEach(it -> own.put(it.name(), it));
    stand(new Agreement(own, agreement.recorded()));
  }

  private void stand(Agreement changed) {
    Map<PolicyName, Standing> before = standings;
    agreement = changed;
    standings = changed.standings();
    changed.own().values().stream()
        .filter(it -> standings.get(it.name()) == Standing.DIFFERENT)
        .filter(it -> before.get(it.name()) != Standing.DIFFERENT)
        .forEach(it -> LOG.error("{}", changed.explanation(it)));
  }

  // ---- what is known

  /** How each of the gateway's policies stands, by what was read last. */
  public Map<PolicyName, Standing> standings() {
    return standings;
  }

  /** What was read last. */
  public Map<PolicyName, Recorded> recorded() {
    return agreement.recorded();
  }

  /** Whether it is to be found out yet how a policy stands. */
  public boolean isUnrecorded(PolicyTerms mine) {
    return standings.get(mine.name()) == Standing.UNRECORDED;
  }

  /** Why it is not in force, with all that differs: for operators. */
  public String explanation(PolicyTerms mine) {
    return agreement.explanation(mine);
  }

  /** Whether another form of it, or of one for the same resources, is known to be in force. */
  public boolean isDifferent(PolicyTerms mine) {
    return standings.get(mine.name()) == Standing.DIFFERENT;
  }

  /** Why a write under these terms may not be let in; empty where all gateways agree on them. */
  public Optional<Refusal> objection(PolicyTerms mine) {
    boolean agreed =
        agreement.isOwn(mine) ? standings.get(mine.name()) == Standing.AGREED : stillAgreed(mine);
    return agreed ? Optional.empty() : Optional.of(agreement.objection(mine));
  }

  /** A write that came before its policy changed goes by the terms that it came under. */
  private boolean stillAgreed(PolicyTerms former) {
    return Optional.ofNullable(agreement.recorded().get(former.name()))
            .filter(it -> it.isOf(former))
            .isPresent()
        && agreement.obstacle(former).isEmpty();
  }

  /** Another policy that has to be switched before {@code mine} can be. */
  public Optional<PolicyName> obstacle(PolicyTerms mine) {
    return agreement.obstacle(mine);
  }

  /** The policies under which nothing may be under way when {@code mine} comes in force. */
  public List<PolicyName> contradicting(PolicyTerms mine) {
    return agreement.contradicting(mine);
  }

  // ---- the coordinator

  /**
   * Reads what is recorded, records what nobody has recorded yet, and reads that again. Changes
   * nothing here: see {@link #adopt}. Fails with {@code StoreException}.
   */
  public Future<Map<PolicyName, Recorded>> read() {
    return readOnce()
        .compose(
            found -> {
              List<PolicyTerms> missing = missing(found);
              return missing.isEmpty()
                  ? Future.succeededFuture(found)
                  : record(missing)
                      .onFailure(
                          failure ->
                              LOG.warn("policies were not recorded: {}", failure.getMessage()))
                      .compose(unused -> readOnce(), unused -> given(found));
            });
  }

  /** What could not be recorded counts as unrecorded; there is no space, for instance. */
  private static <T> Future<T> given(T found) {
    return Future.succeededFuture(found);
  }

  /**
   * Those of high priority first: then a policy that gives way to others is there only when they
   * are, and whoever lacks one of them does not take it for all.
   */
  private List<PolicyTerms> missing(Map<PolicyName, Recorded> found) {
    Agreement known = new Agreement(agreement.own(), found);
    Map<PolicyName, Standing> all = known.standings();
    return known.own().values().stream()
        .filter(it -> all.get(it.name()) == Standing.UNRECORDED)
        .sorted(
            Comparator.comparingInt(PolicyTerms::priority)
                .reversed()
                .thenComparing(it -> it.name().value()))
        .toList();
  }

  private Future<Void> record(List<PolicyTerms> missing) {
    List<Member> members = new ArrayList<>();
    Batch batch = new Batch(List.of(), members, List.of());
    for (PolicyTerms terms : missing) {
      members.add(first(terms));
      Batch longer = new Batch(List.of(), members, List.of());
      if (members.size() > 1 && BatchRules.violation(longer).isPresent()) {
        break;
      }
      batch = longer;
    }
    List<PolicyTerms> rest = missing.subList(batch.members().size(), missing.size());
    return store
        .commit(batch)
        .compose(unused -> rest.isEmpty() ? Future.succeededFuture() : record(rest));
  }

  /** Who comes later finds what the first has put, and takes no resources from it. */
  private Member first(PolicyTerms terms) {
    Key key = keys.policy(terms.name());
    List<Compare> absent = new ArrayList<>(List.of(Compare.absent(key)));
    agreement.own().values().stream()
        .filter(it -> !it.name().equals(terms.name()) && it.contradicts(terms))
        .filter(it -> it.priority() <= terms.priority())
        .limit(MOST_COMPARED)
        .forEach(it -> absent.add(Compare.absent(keys.policy(it.name()))));
    Op put = new Op.Put(key, PolicyRecord.encode(new Recorded.InForce(terms)), LeaseHandle.NONE);
    return new Member(absent, List.of(put), List.of());
  }

  private Future<Map<PolicyName, Recorded>> readOnce() {
    return page(keys.policies(), new TreeMap<>((a, b) -> a.value().compareTo(b.value())));
  }

  private Future<Map<PolicyName, Recorded>> page(KeyRange range, Map<PolicyName, Recorded> found) {
    return store
        .range(range, PAGE)
        .compose(
            page -> {
              page.entries().forEach(entry -> add(entry, found));
              return page.more()
                  ? page(range.behind(page.entries().get(page.entries().size() - 1).key()), found)
                  : Future.succeededFuture(found);
            });
  }

  private void add(Entry entry, Map<PolicyName, Recorded> found) {
    keys.nameOfPolicy(entry.key())
        .ifPresent(name -> found.put(name, PolicyRecord.decode(name, entry.value())));
  }

  /** This is what is recorded, by the newest reading. */
  public void adopt(Map<PolicyName, Recorded> found) {
    Map<PolicyName, Recorded> before = agreement.recorded();
    if (found.equals(before)) {
      return;
    }
    stand(new Agreement(agreement.own(), found));
    if (!before.isEmpty()) {
      listeners.forEach(Runnable::run);
    }
  }
}

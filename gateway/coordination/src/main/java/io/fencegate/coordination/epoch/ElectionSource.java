/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.coordination.store.LeaseTtl;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The election of other clients of the same etcd: whose candidate key was created first, leads. A
 * confirmation is good for what the leader's lease still lives, less the margin, and never for
 * longer than a heartbeat counts: who resigns keeps its lease.
 */
record ElectionSource(CoordinationStore store, Clocks clocks, KeyRange candidates)
    implements EpochSource {

  private static final int LEADER = 0;

  @Override
  public List<Op> look(Keyspace keys, ResourceName resource) {
    return List.of(
        new Op.FirstCreated(candidates),
        new Op.Get(keys.epoch(resource)),
        new Op.Get(keys.confirmed(resource)));
  }

  @Override
  public Optional<Refusal> judge(FencingToken token, Commit.Judged found) {
    return ElectionRules.judge(
        token,
        new ElectionRules.Look(found.revision(), leader(found), ForeignEpochs.record(found)));
  }

  private static Optional<Entry> leader(Commit.Judged found) {
    return found.result().entry(LEADER);
  }

  @Override
  public EpochRecord accepted(FencingToken token) {
    return EpochRecord.election(token);
  }

  /** The leader's key is there, and no candidate was created before it. */
  @Override
  public List<Compare> proof(FencingToken token, Commit.Judged found) {
    Entry leader = leader(found).orElseThrow();
    return List.of(
        new Compare.CreatedAt(leader.key(), token.value()),
        new Compare.RangeCreatedAfter(candidates, token.value() - 1));
  }

  @Override
  public Future<Long> goodUntilNanos(ClockReading askedAt, Commit.Judged found) {
    long askedNanos = clocks.read().monotonicNanos();
    long longest = askedAt.monotonicNanos() + GatewaySession.MAX_STALENESS.toNanos();
    return store
        .timeToLive(leader(found).orElseThrow().lease())
        .map(ttl -> ClockReading.earlier(longest, askedNanos + left(ttl).toNanos()));
  }

  private static Duration left(LeaseTtl ttl) {
    Duration left =
        Duration.ofSeconds(ttl instanceof LeaseTtl.Alive alive ? alive.remainingSeconds() : 0);
    return left.minus(EpochLedger.margin(left));
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.LeaseTtl;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.store.StoreException.Kind;
import io.fencegate.coordination.store.StoreHealth;
import io.fencegate.lab.EtcdCluster;
import io.fencegate.lab.EtcdNode;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Nodes that stop, freeze and come back. */
class EtcdNodesIT extends EtcdFixture {

  private static final Duration FEW_SECONDS = Duration.ofSeconds(9);

  @Test
  void aFrozenFollowerIsHardlyNoticed() {
    EtcdCluster cluster = cluster(3);
    CoordinationStore store = store(cluster);
    commit(store, put("before", "1"));
    cluster.follower().pause();
    assertThat(untilCommitted(store, "during")).isLessThan(FEW_SECONDS);
    eventually(() -> assertThat(troubled(store)).isEqualTo(1));
    assertThat(await(store.health()).quorum()).isTrue();
  }

  @Test
  void aFrozenLeaderStopsServiceForAFewSecondsOnly() {
    EtcdCluster cluster = cluster(3);
    CoordinationStore store = store(cluster);
    commit(store, put("before", "1"));
    EtcdNode frozen = cluster.leader();
    frozen.pause();
    assertThat(untilCommitted(store, "during")).isLessThan(FEW_SECONDS);
    assertThat(await(store.grant(60))).isNotNull();
    assertThat(read(store, "before")).contains("1");
    frozen.resume();
    eventually(() -> assertThat(troubled(store)).isZero());
  }

  @Test
  void readsGrantsAndTimesAreAskedElsewhereWithinTheirDeadline() {
    EtcdCluster cluster = cluster(3);
    CoordinationStore store = store(cluster);
    var lease = await(store.grant(600));
    cluster.leader().pause();
    assertThat(await(store.range(ALL, 10)).entries()).isEmpty();
    assertThat(await(store.timeToLive(lease))).isInstanceOf(LeaseTtl.Alive.class);
    assertThat(await(store.grant(60))).isNotNull();
  }

  @Test
  void aKilledLeaderStopsServiceForAnElectionOnly() {
    EtcdCluster cluster = cluster(3);
    CoordinationStore store = store(cluster);
    commit(store, put("before", "1"));
    cluster.leader().kill();
    assertThat(untilCommitted(store, "during")).isLessThan(FEW_SECONDS);
    assertThat(read(store, "before")).contains("1");
    cluster.startAll();
    eventually(() -> assertThat(troubled(store)).isZero());
  }

  @Test
  void withoutAMajorityNothingIsCommittedAndEverythingIsAnswered() {
    EtcdCluster cluster = cluster(3);
    CoordinationStore store = store(cluster);
    commit(store, put("before", "1"));
    List<EtcdNode> two = cluster.nodes().subList(0, 2);
    two.forEach(EtcdNode::kill);
    assertThat(succeeds(store.commit(batch(put("during", "1"))))).isFalse();
    eventually(() -> assertThat(await(store.health()).quorum()).isFalse());
    // By now no node knows a leader, so nothing is even sent.
    eventually(
        () ->
            assertThat(failure(store.commit(batch(put("during", "2")))).kind())
                .isEqualTo(Kind.DEFINITE));
    cluster.startAll();
    assertThat(untilCommitted(store, "after")).isLessThan(FEW_SECONDS);
    assertThat(await(store.health()).quorum()).isTrue();
  }

  @Test
  void opensWithoutEtcdAndWorksOnceItIsThere() {
    EtcdCluster cluster = cluster(1);
    cluster.killAll();
    CoordinationStore store = store(cluster);
    StoreException refused = failure(store.commit(batch(put("early", "1"))));
    assertThat(refused.kind()).isEqualTo(Kind.DEFINITE);
    assertThat(refused).hasMessageContaining("127.0.0.1:" + cluster.node(0).port());
    StoreHealth health = await(store.health());
    assertThat(health.quorum()).isFalse();
    assertThat(health.clusterId()).isEmpty();
    assertThat(health.endpoints().get(0).trouble()).isPresent();
    cluster.startAll();
    assertThat(untilCommitted(store, "late")).isLessThan(FEW_SECONDS);
    assertThat(read(store, "early")).isEmpty();
    assertThat(await(store.health()).clusterId()).isPresent();
  }

  @Test
  void callsGoToTheClusterThatIsKnownAndNeverToAnotherOneAmongTheEndpoints() {
    EtcdCluster known = cluster(1);
    EtcdCluster other = cluster(1);
    CoordinationStore atOther = store(other);
    CoordinationStore store =
        store(
            EtcdSettings.of(
                List.of(
                    other.endpoints().get(0),
                    known.endpoints().get(0),
                    "http://localhost:" + known.node(0).port())));
    commit(store, put("before", "1"));
    OptionalLong clusterId = await(store.health()).clusterId();
    assertThat(clusterId).isPresent();
    eventually(
        () ->
            assertThat(await(store.health()).endpoints().get(0).trouble())
                .hasValueSatisfying(it -> assertThat(it).contains("another etcd cluster")));
    for (int i = 0; i < 20; i++) {
      commit(store, put("during-" + i, "1"));
    }
    assertThat(await(store.range(ALL, 100)).entries()).hasSize(21);

    known.killAll();
    CoordinationStore late =
        store(EtcdSettings.of(List.of(other.endpoints().get(0), known.endpoints().get(0))));
    assertThat(failure(late.commit(batch(put("lost", "1")))).kind())
        .as("one of two is not believed because the other is away")
        .isEqualTo(Kind.DEFINITE);
    eventually(
        () ->
            assertThat(failure(store.commit(batch(put("lost", "1")))).kind())
                .isEqualTo(Kind.DEFINITE));
    StoreHealth health = await(store.health());
    assertThat(health.quorum()).isFalse();
    assertThat(health.clusterId()).as("no other history is taken for ours").isEmpty();
    known.startAll();
    assertThat(untilCommitted(store, "after")).isLessThan(FEW_SECONDS);
    assertThat(await(store.health()).clusterId()).isEqualTo(clusterId);
    assertThat(await(atOther.range(ALL, 10)).entries()).isEmpty();
  }

  @Test
  void aFrozenNodeAtTheStartDoesNotKeepTheStoreFromTheOthers() {
    EtcdCluster cluster = cluster(3);
    cluster.node(0).pause();
    CoordinationStore store = store(cluster);
    assertThat(untilCommitted(store, "k")).isLessThan(FEW_SECONDS);
  }

  @Test
  void anAbsentEtcdCostsNextToNothingAndBlocksNoEventLoop() {
    EtcdCluster cluster = cluster(1);
    CoordinationStore store = store(cluster);
    commit(store, put("before", "1"));
    cluster.killAll();
    AtomicLong longestNanos = new AtomicLong();
    AtomicLong lastNanos = new AtomicLong(System.nanoTime());
    long timer =
        vertx.setPeriodic(
            10,
            unused -> {
              long nowNanos = System.nanoTime();
              longestNanos.accumulateAndGet(nowNanos - lastNanos.getAndSet(nowNanos), Math::max);
            });
    long idle = cpuNanos();
    long fromNanos = System.nanoTime();
    // Two attempts, each of which waits for its deadline.
    for (int i = 0; i < 2; i++) {
      assertThat(succeeds(store.commit(batch(put("during", "1"))))).isFalse();
    }
    double share = (double) (cpuNanos() - idle) / (System.nanoTime() - fromNanos);
    vertx.cancelTimer(timer);
    assertThat(share).isLessThan(0.2);
    assertThat(Duration.ofNanos(longestNanos.get())).isLessThan(Duration.ofSeconds(1));
  }

  private static long cpuNanos() {
    var system =
        (com.sun.management.OperatingSystemMXBean)
            java.lang.management.ManagementFactory.getOperatingSystemMXBean();
    return system.getProcessCpuTime();
  }

  private static long troubled(CoordinationStore store) {
    return await(store.health()).endpoints().stream()
        .filter(it -> it.trouble().isPresent())
        .count();
  }
}

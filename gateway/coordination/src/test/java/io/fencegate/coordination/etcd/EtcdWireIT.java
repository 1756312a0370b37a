/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.tck.FaultProxy;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.store.StoreException.Kind;
import io.fencegate.lab.EtcdCluster;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A wire that cuts, swallows and delays, between the store and one node. */
class EtcdWireIT extends EtcdFixture {

  private static final Duration SHORT_DEADLINE = Duration.ofMillis(700);

  private EtcdCluster cluster;
  private FaultProxy proxy;
  private CoordinationStore direct;

  @BeforeEach
  void startEtcd() {
    cluster = cluster(1);
    proxy = proxy(cluster.node(0));
    direct = store(cluster);
  }

  private CoordinationStore connected(EtcdSettings settings) {
    CoordinationStore store = store(settings);
    commit(store, put("before", "1"));
    return store;
  }

  @Test
  void aTransactionThatWasCutOffIsInDoubtAndNotSentAgain() {
    CoordinationStore store = connected(through(proxy));
    proxy.cutOnceSent("k/cut");
    assertThat(failure(store.commit(batch(put("cut", "1")))).kind()).isEqualTo(Kind.INDEFINITE);
    assertThat(proxy.hasStruck()).isTrue();
    untilCommitted(store, "after");
    assertThat(read(direct, "cut")).isEmpty();
  }

  @Test
  void aTransactionWhoseReplyIsLostIsInDoubtAndMayHaveBeenCommitted() {
    CoordinationStore store = connected(through(proxy).withCallDeadline(SHORT_DEADLINE));
    proxy.swallowRepliesOnceSent("k/swallowed");
    assertThat(failure(store.commit(batch(put("swallowed", "1")))).kind())
        .isEqualTo(Kind.INDEFINITE);
    eventually(() -> assertThat(read(direct, "swallowed")).contains("1"));
    proxy.pass();
    untilCommitted(store, "after");
  }

  @Test
  void aTransactionInDoubtMayLandLate() {
    CoordinationStore store = connected(through(proxy).withCallDeadline(SHORT_DEADLINE));
    proxy.delay(Duration.ofMillis(1_500));
    StoreException doubt = failure(store.commit(batch(put("late", "1"))));
    assertThat(doubt.kind()).isEqualTo(Kind.INDEFINITE);
    assertThat(read(direct, "late")).as("a look right after the doubt").isEmpty();
    eventually(() -> assertThat(read(direct, "late")).contains("1"));
  }

  @Test
  void aTransactionThatWasNeverSentIsDefinite() {
    CoordinationStore store = connected(through(proxy));
    proxy.cut();
    eventually(
        () ->
            assertThat(failure(store.commit(batch(put("unsent", "1")))).kind())
                .isEqualTo(Kind.DEFINITE));
    proxy.pass();
    untilCommitted(store, "after");
    assertThat(read(direct, "unsent")).isEmpty();
  }

  @Test
  void aBlackHoleIsNoticedAndLeftBehindOnceItIsGone() {
    CoordinationStore store = connected(through(proxy));
    proxy.blackhole();
    assertThat(failure(store.commit(batch(put("lost", "1")))).kind()).isEqualTo(Kind.INDEFINITE);
    // Connections that are opened meanwhile are dead for good.
    assertThat(failure(store.commit(batch(put("unsent", "1")))).kind()).isEqualTo(Kind.DEFINITE);
    proxy.pass();
    assertThat(untilCommitted(store, "after")).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void readsSurviveAResetConnection() {
    CoordinationStore store = connected(through(proxy));
    for (int i = 0; i < 5; i++) {
      proxy.reset();
      assertThat(await(store.range(ALL, 10)).entries()).hasSize(1);
      assertThat(read(store, "before")).contains("1");
    }
  }

  @Test
  void aNodeBehindADeadWireDoesNotStopService() {
    EtcdCluster three = cluster(3);
    FaultProxy toLeader = proxy(three.leader());
    List<String> others =
        three.nodes().stream().filter(it -> it != three.leader()).map(it -> it.endpoint()).toList();
    CoordinationStore store =
        store(
            EtcdSettings.of(
                List.of("http://127.0.0.1:" + toLeader.port(), others.get(0), others.get(1))));
    commit(store, put("before", "1"));
    toLeader.blackhole();
    assertThat(untilCommitted(store, "during")).isLessThan(Duration.ofSeconds(9));
    assertThat(await(store.health()).quorum()).isTrue();
  }
}

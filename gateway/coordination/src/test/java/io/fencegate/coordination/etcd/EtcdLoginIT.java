/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.store.StoreException.Kind;
import io.fencegate.coordination.store.WatchRecorder;
import io.fencegate.lab.EtcdCluster;
import io.fencegate.lab.EtcdOptions;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An etcd with users: tokens that run out, passwords that change, roles that are taken away. */
class EtcdLoginIT extends EtcdFixture {

  private static final String ROOT = "--user=root:root-secret";
  private static final String PASSWORD = "gate-secret";
  private static final int TOKEN_TTL_SECONDS = 2;

  private EtcdCluster cluster;

  @BeforeEach
  void startEtcdWithUsers() {
    cluster = cluster(EtcdOptions.ofNodes(1).withAuthTokenTtlSeconds(TOKEN_TTL_SECONDS));
    cluster.etcdctl("user", "add", "root:root-secret");
    cluster.etcdctl("user", "grant-role", "root", "root");
    cluster.etcdctl("role", "add", "gate");
    cluster.etcdctl("role", "grant-permission", "gate", "--prefix=true", "readwrite", "k/");
    cluster.etcdctl("user", "add", "gate:" + PASSWORD);
    cluster.etcdctl("user", "grant-role", "gate", "gate");
    cluster.etcdctl("auth", "enable");
  }

  private CoordinationStore login(String password) {
    return store(EtcdSettings.of(cluster.endpoints()).withLogin("gate", password));
  }

  @Test
  void aTokenThatRanOutIsRenewedByTheCallThatFindsOut() {
    CoordinationStore store = login(PASSWORD);
    long from = commit(store, put("a", "1")) + 1;
    letTheTokenRunOut();
    assertThat(await(store.range(ALL, 10)).entries()).hasSize(1);
    letTheTokenRunOut();
    WatchRecorder watch = WatchRecorder.open(vertx, store, ALL, from);
    commit(store, put("b", "1"));
    assertThat(watch.awaitEvents(1)).hasSize(1);
    letTheTokenRunOut();
    commit(store, put("c", "1"));
    assertThat(watch.awaitEvents(2)).hasSize(2);
  }

  /** etcd forgets a token that was not used for its time; only time does that. */
  private static void letTheTokenRunOut() {
    Awaitility.await()
        .pollDelay(Duration.ofSeconds(TOKEN_TTL_SECONDS + 2))
        .atMost(Duration.ofSeconds(TOKEN_TTL_SECONDS + 5))
        .until(() -> true);
  }

  @Test
  void aRestartedEtcdKnowsNoTokensAndIsLoggedInAgain() {
    CoordinationStore store = login(PASSWORD);
    long from = commit(store, put("a", "1")) + 1;
    WatchRecorder watch = WatchRecorder.open(vertx, store, ALL, from);
    cluster.node(0).kill();
    cluster.startAll();
    untilCommitted(store, "b");
    assertThat(watch.awaitEvents(1)).hasSize(1);
  }

  @Test
  void aWrongPasswordIsSaidAndNeitherShownNorTriedAllTheTime() {
    CoordinationStore store = login("wrong-secret");
    StoreException refused = failure(store.commit(batch(put("a", "1"))));
    assertThat(refused.kind()).isEqualTo(Kind.DEFINITE);
    assertThat(refused).hasMessageContaining("gate").hasMessageNotContaining("wrong-secret");
    for (int i = 0; i < 200; i++) {
      assertThat(failure(store.commit(batch(put("a", "1")))).kind()).isEqualTo(Kind.DEFINITE);
    }
    assertThat(await(store.health()).endpoints().get(0).trouble().orElseThrow())
        .contains("gate")
        .doesNotContain("wrong-secret");
    assertThat(cluster.node(0).metric("etcd_server_proposals_committed_total"))
        .as("logins are proposals")
        .isLessThan(100);
  }

  @Test
  void aPasswordThatIsChangedLocksOutAndLetsInAgain() {
    CoordinationStore store = login(PASSWORD);
    commit(store, put("a", "1"));
    changePassword("another-secret");
    eventually(
        () ->
            assertThat(failure(store.range(ALL, 1)))
                .hasMessageContaining("refuses user gate")
                .hasMessageNotContaining(PASSWORD));
    changePassword(PASSWORD);
    untilCommitted(store, "b");
  }

  private void changePassword(String password) {
    cluster.etcdctl(ROOT, "user", "delete", "gate");
    cluster.etcdctl(ROOT, "user", "add", "gate:" + password);
    cluster.etcdctl(ROOT, "user", "grant-role", "gate", "gate");
  }

  @Test
  void aRoleThatIsTakenAwayIsReported() {
    CoordinationStore store = login(PASSWORD);
    long from = commit(store, put("a", "1")) + 1;
    WatchRecorder watch = WatchRecorder.open(vertx, store, ALL, from);
    commit(store, put("b", "1"));
    watch.awaitEvents(1);
    cluster.etcdctl(ROOT, "user", "revoke-role", "gate", "gate");
    StoreException refused = failure(store.range(ALL, 1));
    assertThat(refused.kind()).isEqualTo(Kind.DEFINITE);
    assertThat(refused).hasMessageContaining("permission denied");
    assertThat(failure(store.commit(batch(put("c", "1")))))
        .as("etcd does not look into the members of a batch by itself")
        .hasMessageContaining("permission denied");
    WatchRecorder denied = WatchRecorder.open(vertx, store, ALL, from);
    assertThat(denied.awaitLoss()).contains("permission denied");
    cluster.etcdctl(ROOT, "user", "grant-role", "gate", "gate");
    eventually(() -> assertThat(succeeds(store.range(ALL, 1))).isTrue());
  }

  @Test
  void aStoreWithoutAUserIsRefused() {
    CoordinationStore store = store(cluster);
    assertThat(failure(store.range(ALL, 1)).kind()).isEqualTo(Kind.DEFINITE);
  }

  @Test
  void aUserIsNoTroubleWhereEtcdHasNone() {
    cluster.etcdctl(ROOT, "auth", "disable");
    CoordinationStore store = login(PASSWORD);
    commit(store, put("a", "1"));
    cluster.etcdctl("auth", "enable");
    untilCommitted(store, "b");
    assertThat(await(store.range(ALL, 10)).entries()).hasSize(2);
  }
}

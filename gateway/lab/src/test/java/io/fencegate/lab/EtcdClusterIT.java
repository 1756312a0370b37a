/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EtcdClusterIT {

  @Test
  void oneNodeKeepsItsDataOverAKillAndLosesItWhenWiped() {
    try (EtcdCluster cluster = EtcdCluster.start(1)) {
      cluster.etcdctl("put", "k", "v");
      cluster.node(0).kill();
      assertThat(cluster.node(0).isHealthy()).isFalse();
      cluster.startAll();
      assertThat(cluster.etcdctl("get", "k")).contains("v");
      cluster.wipe();
      assertThat(cluster.etcdctl("get", "k")).isEmpty();
    }
  }

  @Test
  void aSnapshotComesBackWithTheSameIds(@TempDir Path directory) {
    try (EtcdCluster cluster = EtcdCluster.start(1)) {
      cluster.etcdctl("put", "k", "old");
      String members = cluster.etcdctl("member", "list");
      cluster.saveSnapshot(directory.resolve("snapshot"));
      cluster.etcdctl("put", "k", "new");
      cluster.restoreSnapshot(directory.resolve("snapshot"));
      assertThat(cluster.etcdctl("get", "k")).contains("old");
      assertThat(cluster.etcdctl("member", "list")).isEqualTo(members);
    }
  }

  @Test
  void threeNodesElectAnotherLeaderWhenTheirsIsPausedOrKilled() {
    try (EtcdCluster cluster = EtcdCluster.start(3)) {
      EtcdNode first = cluster.leader();
      first.pause();
      assertThat(first.isHealthy()).isFalse();
      EtcdNode second = cluster.leader();
      assertThat(second).isNotSameAs(first);
      first.resume();
      cluster.awaitHealthy();
      second.kill();
      assertThat(cluster.leader()).isNotSameAs(second);
      cluster.startAll();
      cluster.etcdctl(cluster.follower(), "put", "k", "v");
    }
  }

  @Test
  void clientsOfATlsClusterShowACertificate(@TempDir Path directory) {
    EtcdOptions options = EtcdOptions.ofNodes(1).withTls(LabCertificates.make(directory));
    try (EtcdCluster cluster = EtcdCluster.start(options)) {
      assertThat(cluster.node(0).endpoint()).startsWith("https://127.0.0.1:");
      assertThat(cluster.etcdctl("put", "k", "v")).contains("OK");
    }
  }

  @Test
  void aNodeThatDoesNotStartIsReportedWithItsLog() {
    assertThatThrownBy(() -> EtcdCluster.start(EtcdOptions.ofNodes(1).withFlags("--no-such-flag")))
        .isInstanceOf(LabException.class)
        .hasMessageContaining("no-such-flag");
  }
}

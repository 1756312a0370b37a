/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.lab.EtcdCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** What gateways know of freezes, in an etcd. */
class EtcdFreezeBoardIT extends FreezeBoardTest {

  private static EtcdCluster cluster;

  @BeforeAll
  static void startEtcd() {
    cluster = EtcdCluster.start(1);
  }

  @AfterAll
  static void stopEtcd() {
    cluster.close();
  }

  @Override
  protected CoordinationStore openStore() {
    return openEtcd(cluster);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.CoordinationStoreContract;
import io.fencegate.lab.EtcdCluster;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class EtcdStoreContractIT extends CoordinationStoreContract {

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
  protected CoordinationStore openStore(Vertx vertx) {
    return await(EtcdStores.open(vertx, EtcdSettings.of(cluster.endpoints())));
  }
}

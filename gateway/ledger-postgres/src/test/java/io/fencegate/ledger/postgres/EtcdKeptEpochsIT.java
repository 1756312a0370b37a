/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.ledger.postgres;

import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.coordination.etcd.EtcdStore;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.lab.EtcdCluster;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The same on a real etcd. */
class EtcdKeptEpochsIT extends KeptEpochsIT {

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
  CoordinationStore openStore() {
    return await(
        EtcdStore.open(
            vertx,
            EtcdSettings.of(cluster.endpoints()),
            CLOCKS,
            () -> ThreadLocalRandom.current().nextDouble()));
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static io.fencegate.coordination.service.CoordinationFixture.await;

import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.coordination.etcd.EtcdStore;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.lab.EtcdCluster;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/** A real etcd, restored as an operator would: cluster and member ids stay the same. */
class EtcdRestoreIT extends RestoreContract {

  @Override
  RestorableCoordinator open(Vertx vertx, Clocks clocks, Path folder) {
    EtcdCluster cluster = EtcdCluster.start(1);
    CoordinationStore store =
        await(
            EtcdStore.open(
                vertx,
                EtcdSettings.of(cluster.endpoints()),
                clocks,
                () -> ThreadLocalRandom.current().nextDouble()));
    return new Etcd(cluster, store, folder);
  }

  private record Etcd(EtcdCluster cluster, CoordinationStore store, Path folder)
      implements RestorableCoordinator {

    private Path snapshot() {
      return folder.resolve("snapshot.db");
    }

    @Override
    public void backUp() {
      try {
        Files.createDirectories(folder);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      cluster.saveSnapshot(snapshot());
    }

    @Override
    public void restore() {
      cluster.restoreSnapshot(snapshot());
    }

    @Override
    public void wipe() {
      cluster.wipe();
    }

    @Override
    public void restart() {
      cluster.killAll();
      cluster.startAll();
    }

    @Override
    public void close() {
      await(store.close());
      cluster.close();
    }
  }
}

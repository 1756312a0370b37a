/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.campaign;

import io.fencegate.adapter.tck.FaultProxy;
import io.fencegate.lab.EtcdCluster;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The connections of each gateway to each etcd node, all of which can be broken. */
final class Wires implements AutoCloseable {

  private static final int PATIENCE_SECONDS = 20;

  private final Vertx vertx = Vertx.vertx();
  private final List<List<FaultProxy>> byGateway = new ArrayList<>();

  Wires(EtcdCluster cluster, int gateways) {
    for (int i = 0; i < gateways; i++) {
      List<FaultProxy> proxies = new ArrayList<>();
      cluster
          .nodes()
          .forEach(node -> proxies.add(await(FaultProxy.start(vertx, "127.0.0.1", node.port()))));
      byGateway.add(proxies);
    }
  }

  List<FaultProxy> of(int gateway) {
    return byGateway.get(gateway);
  }

  List<String> endpoints(int gateway) {
    return of(gateway).stream().map(proxy -> "http://127.0.0.1:" + proxy.port()).toList();
  }

  private static <T> T await(Future<T> future) {
    return future
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .join();
  }

  @Override
  public void close() {
    await(vertx.close());
  }
}

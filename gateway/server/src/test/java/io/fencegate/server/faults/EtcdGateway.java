/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.faults;

import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.coordination.etcd.EtcdStore;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.ApiClient;
import io.fencegate.server.Gateway;
import io.fencegate.server.config.AuditConfig;
import io.fencegate.server.config.CoordinatorConfig;
import io.fencegate.server.config.Listener;
import io.fencegate.server.config.ServerConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;

/** A gateway in this JVM with an event loop and a connection to etcd of its own. */
final class EtcdGateway implements AutoCloseable {

  static final String PREFIX = "fencegate";

  private static final SecureRandom RANDOM = new SecureRandom();
  static final Clocks CLOCKS =
      () -> new ClockReading(System.nanoTime(), System.currentTimeMillis());

  private final Vertx vertx = Vertx.vertx();
  private final CoordinationStore store;
  private final ApiClient worker;
  private final ApiClient operator;

  private EtcdGateway(Path folder, String policies, EtcdSettings settings) throws IOException {
    Files.createDirectories(folder.resolve("policies"));
    Files.writeString(folder.resolve("policies/test.yaml"), policies);
    store = await(EtcdStore.open(vertx, settings, CLOCKS, RANDOM::nextDouble));
    ServerConfig config =
        new ServerConfig(
            new Listener("127.0.0.1", 0),
            new Listener("127.0.0.1", 0),
            folder.resolve("data"),
            new CoordinatorConfig.Etcd(settings, PREFIX),
            folder.resolve("policies"),
            new AuditConfig(folder.resolve("audit.jsonl"), 100_000_000, 1));
    Gateway gateway = new Gateway(new Gateway.Setup(config, store, CLOCKS, EtcdGateway::random));
    await(vertx.deployVerticle(gateway));
    worker = new ApiClient(gateway.workerPort());
    operator = new ApiClient(gateway.operatorPort());
  }

  /** Starts one, whether or not etcd is there. */
  static EtcdGateway start(Path folder, String policies, EtcdSettings settings) throws IOException {
    return new EtcdGateway(folder, policies, settings);
  }

  private static byte[] random(int bytes) {
    byte[] out = new byte[bytes];
    RANDOM.nextBytes(out);
    return out;
  }

  ApiClient worker() {
    return worker;
  }

  ApiClient operator() {
    return operator;
  }

  @Override
  public void close() {
    for (String deployment : vertx.deploymentIDs()) {
      await(vertx.undeploy(deployment));
    }
    await(store.close());
    await(vertx.close());
  }

  static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().orTimeout(40, TimeUnit.SECONDS).join();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.fencegate.coordination.embedded.EmbeddedStore;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.Gateway;
import io.fencegate.server.clock.SystemClocks;
import io.fencegate.server.config.ServerConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.security.SecureRandom;

/** A gateway with all that it stands on, from the store to the event loop. */
final class ServerProcess {

  /** The gateway lives on one event loop; more would stand idle. */
  private static final int EVENT_LOOPS = 1;

  private final Vertx vertx;
  private final CoordinationStore store;
  private final Gateway gateway;
  private final String deploymentId;

  private ServerProcess(
      Vertx vertx, CoordinationStore store, Gateway gateway, String deploymentId) {
    this.vertx = vertx;
    this.store = store;
    this.gateway = gateway;
    this.deploymentId = deploymentId;
  }

  /** Starts all of it, or fails with nothing left open. */
  static Future<ServerProcess> start(ServerConfig config) {
    Vertx vertx =
        Vertx.vertx(
            new VertxOptions()
                .setEventLoopPoolSize(EVENT_LOOPS)
                .setPreferNativeTransport(false)
                .setFileSystemOptions(
                    new FileSystemOptions()
                        .setFileCachingEnabled(false)
                        .setClassPathResolvingEnabled(false)));
    Clocks clocks = new SystemClocks();
    return EmbeddedStore.open(vertx, config.dataDir(), clocks)
        .compose(store -> deploy(vertx, store, config, clocks))
        .recover(failure -> vertx.close().transform(closed -> Future.failedFuture(failure)));
  }

  private static Future<ServerProcess> deploy(
      Vertx vertx, CoordinationStore store, ServerConfig config, Clocks clocks) {
    Gateway gateway =
        new Gateway(new Gateway.Setup(config, store, clocks, ServerProcess::randomBytes));
    return vertx
        .deployVerticle(gateway)
        .map(id -> new ServerProcess(vertx, store, gateway, id))
        .recover(failure -> store.close().transform(closed -> Future.failedFuture(failure)));
  }

  private static byte[] randomBytes(int count) {
    byte[] bytes = new byte[count];
    Randomness.SOURCE.nextBytes(bytes);
    return bytes;
  }

  /** Seeded by the operating system when it is first asked. */
  private static final class Randomness {
    private static final SecureRandom SOURCE = new SecureRandom();
  }

  int workerPort() {
    return gateway.workerPort();
  }

  int operatorPort() {
    return gateway.operatorPort();
  }

  /** Answers every request that is in, then closes what is below it, top down. */
  Future<Void> stop() {
    return vertx
        .undeploy(deploymentId)
        .transform(
            undeployed ->
                store
                    .close()
                    .transform(closed -> vertx.close())
                    .compose(
                        closed ->
                            undeployed.succeeded()
                                ? Future.succeededFuture()
                                : Future.failedFuture(undeployed.cause())));
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.fencegate.coordination.Coordination;
import io.fencegate.coordination.embedded.EmbeddedStore;
import io.fencegate.coordination.etcd.EtcdStore;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.Gateway;
import io.fencegate.server.clock.SystemClocks;
import io.fencegate.server.config.ServerConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A gateway with all that it stands on, from the store to the event loop. */
final class ServerProcess {

  /** The gateway lives on one event loop; more would stand idle. */
  private static final int EVENT_LOOPS = 1;

  /** Opening a store reads all of it; ten times what a large one takes. */
  private static final Duration START_BUDGET = Duration.ofMinutes(2);

  /** What the gateway's own drain may take, and some grace for closing the store. */
  private static final Duration STOP_BUDGET = Duration.ofSeconds(40);

  private static final Duration CLOSE_BUDGET = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(ServerProcess.class);

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

  /** Starts all of it, or fails with nothing left open. Blocks. */
  static Waiting.Ended<ServerProcess> start(ServerConfig config) {
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
    Waiting.Ended<ServerProcess> start =
        Waiting.forEnd(
            openStore(vertx, config, clocks).compose(store -> deploy(vertx, store, config, clocks)),
            START_BUDGET);
    if (start.value() == null) {
      close(vertx);
    }
    return start;
  }

  private static Future<CoordinationStore> openStore(
      Vertx vertx, ServerConfig config, Clocks clocks) {
    return config
        .coordinator()
        .fold(
            embedded ->
                EmbeddedStore.open(vertx, config.dataDir(), clocks)
                    .compose(store -> alone(store, config.coordinator().keyPrefix())),
            etcd -> EtcdStore.open(vertx, etcd.settings(), clocks, ServerProcess::randomShare));
  }

  /** Its files are locked by this process, so whoever had them before has ended. */
  private static Future<CoordinationStore> alone(CoordinationStore store, String prefix) {
    return Coordination.endPredecessors(store, prefix)
        .<CoordinationStore>map(unused -> store)
        .recover(failure -> store.close().transform(closed -> Future.failedFuture(failure)));
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

  /** From 0 to below 1, in steps that are fine enough for waits. */
  private static double randomShare() {
    return new BigInteger(1, randomBytes(2)).doubleValue() / (1 << 16);
  }

  /** Seeded by the operating system when it is first asked. */
  private static final class Randomness {
    private static final SecureRandom SOURCE = new SecureRandom();
  }

  /** Policies in force; at first those of the start. */
  int policyCount() {
    return gateway.policyCount();
  }

  int workerPort() {
    return gateway.workerPort();
  }

  int operatorPort() {
    return gateway.operatorPort();
  }

  /**
   * Answers every request that is in, then closes what is below it, top down. Blocks.
   *
   * @return why not all of it could be closed; empty where it was
   */
  Optional<Throwable> stop() {
    Optional<Throwable> failure =
        Waiting.failureOf(
            vertx
                .undeploy(deploymentId)
                .transform(
                    undeployed ->
                        store
                            .close()
                            .compose(
                                closed ->
                                    undeployed.succeeded()
                                        ? Future.succeededFuture()
                                        : Future.failedFuture(undeployed.cause()))),
            STOP_BUDGET);
    close(vertx);
    return failure;
  }

  /** Not part of a chain of futures: their steps run on the event loop that ends here. */
  private static void close(Vertx vertx) {
    Waiting.failureOf(vertx.close(), CLOSE_BUDGET)
        .ifPresent(cause -> LOG.warn("the event loop did not end", cause));
  }
}

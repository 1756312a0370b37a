/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import io.fencegate.coordination.Coordination;
import io.fencegate.coordination.embedded.EmbeddedStore;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.config.AuditConfig;
import io.fencegate.server.config.CoordinatorConfig;
import io.fencegate.server.config.Listener;
import io.fencegate.server.config.ServerConfig;
import io.fencegate.server.relay.Owners;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Real gateways in this JVM, on one embedded coordinator. */
public final class TestGateways implements AutoCloseable {

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final Clocks CLOCKS =
      () -> new ClockReading(System.nanoTime(), System.currentTimeMillis());

  private final Path folder;
  private final Vertx vertx = Vertx.vertx();
  private final CoordinationStore store;
  private final List<Gateway> gateways = new ArrayList<>();
  private final List<String> deployments = new ArrayList<>();

  private TestGateways(Path folder, UnaryOperator<CoordinationStore> wire) {
    this.folder = folder;
    this.store = wire.apply(await(EmbeddedStore.open(vertx, folder.resolve("data"), CLOCKS)));
  }

  /** So many gateways with one policy file. */
  public static TestGateways start(Path folder, String policies, int count) throws IOException {
    return start(folder, policies, count, store -> store);
  }

  /** The same behind a wire to the coordinator that may be bad. */
  static TestGateways start(
      Path folder, String policies, int count, UnaryOperator<CoordinationStore> wire)
      throws IOException {
    TestGateways all = with(folder, policies, wire);
    for (int i = 0; i < count; i++) {
      all.deploy(new Gateway(all.setup()));
    }
    return all;
  }

  /** Gateways that are told who carries out which writes, one for each of the functions. */
  public static TestGateways start(
      Path folder, String policies, List<Function<Coordination, Owners>> ownership)
      throws IOException {
    TestGateways all = with(folder, policies, store -> store);
    for (Function<Coordination, Owners> owners : ownership) {
      all.deploy(new Gateway(all.setup(), owners));
    }
    return all;
  }

  private static TestGateways with(
      Path folder, String policies, UnaryOperator<CoordinationStore> wire) throws IOException {
    Files.createDirectories(folder.resolve("policies"));
    Files.writeString(folder.resolve("policies/test.yaml"), policies);
    return new TestGateways(folder, wire);
  }

  private Gateway.Setup setup() {
    ServerConfig config =
        new ServerConfig(
            new Listener("127.0.0.1", 0),
            new Listener("127.0.0.1", 0),
            folder.resolve("gateway-" + gateways.size()),
            new CoordinatorConfig.Embedded(),
            folder.resolve("policies"),
            new AuditConfig(auditFile(gateways.size()), 100_000_000, 1));
    return new Gateway.Setup(config, store, CLOCKS, TestGateways::random);
  }

  private void deploy(Gateway gateway) {
    deployments.add(await(vertx.deployVerticle(gateway)));
    gateways.add(gateway);
  }

  private static byte[] random(int bytes) {
    byte[] out = new byte[bytes];
    RANDOM.nextBytes(out);
    return out;
  }

  public Path auditFile(int index) {
    return folder.resolve("audit-" + index + ".jsonl");
  }

  public Path policyFile() {
    return folder.resolve("policies/test.yaml");
  }

  public ApiClient client(int index) {
    return new ApiClient(gateways.get(index).workerPort());
  }

  public ApiClient operator(int index) {
    return new ApiClient(gateways.get(index).operatorPort());
  }

  public int workerPort(int index) {
    return gateways.get(index).workerPort();
  }

  public int operatorPort(int index) {
    return gateways.get(index).operatorPort();
  }

  /** Stops one as SIGTERM would. */
  public void stop(int index) {
    await(vertx.undeploy(deployments.get(index)));
  }

  public Vertx vertx() {
    return vertx;
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

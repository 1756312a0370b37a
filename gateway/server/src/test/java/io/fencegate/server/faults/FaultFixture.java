/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.tck.FaultProxy;
import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.lab.EtcdCluster;
import io.fencegate.lab.EtcdNode;
import io.fencegate.lab.EtcdOptions;
import io.fencegate.server.ApiClient.Answer;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Running gateways on a real etcd that is broken on purpose. After every test the history is
 * checked: tokens rise, no two holders at once, repeats answer what was answered before.
 */
abstract class FaultFixture {

  static final boolean FULL = Boolean.getBoolean("fencegate.full");

  static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        log: { type: memory }
      resources:
        - name: jobs
          match: jobs/{job}
          adapter: log
          waiting: { maxWaiters: 200, maxWait: 60s }
          operations: { put: { sql: put, params: { text: text } } }
        - name: brief
          match: brief/{job}
          adapter: log
          waiting: { maxWait: 5s }
          dedup: { retention: 30s }
          operations: { put: { sql: put, params: { text: text } } }
      """;

  /** Within this time of healing everything is right again. */
  static final Duration HEALED = Duration.ofSeconds(10);

  /** More than that, for what a crowded machine does late. */
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  /** Repeats that are asked for at the end of a test. */
  private static final int MAX_REPEATS = 60;

  @TempDir Path folder;
  final History history = new History();
  final List<Worker> workers = new ArrayList<>();
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final AtomicBoolean done = new AtomicBoolean();
  ExecutorService threads;
  EtcdCluster etcd;
  private Vertx wires;

  @BeforeEach
  void open() {
    threads = Executors.newCachedThreadPool();
    wires = Vertx.vertx();
  }

  @AfterEach
  void checkAndClose() throws Exception {
    done.set(true);
    try {
      history.check();
      if (!workers.isEmpty() && remembersRequests()) {
        history.checkAgainst(rememberedRequests());
        checkRepeats();
      }
    } finally {
      threads.shutdownNow();
      while (!opened.isEmpty()) {
        opened.pop().close();
      }
      EtcdGateway.await(wires.close());
    }
  }

  /** Whether etcd is the one that it was when the test began, and answers without a password. */
  boolean remembersRequests() {
    return true;
  }

  private Set<String> rememberedRequests() {
    return etcd.etcdctl("get", "--prefix", "--keys-only", EtcdGateway.PREFIX + "/req/")
        .lines()
        .filter(line -> !line.isBlank())
        .map(key -> key.substring(key.indexOf('.', key.lastIndexOf('/')) + 1))
        .collect(Collectors.toSet());
  }

  /** A repeat through any gateway gets the first answer. */
  private void checkRepeats() {
    List<History.Acquired> granted =
        history.acquires().stream().filter(History.Acquired::isGranted).toList();
    for (int i = 0; i < Math.min(MAX_REPEATS, granted.size()); i++) {
      History.Acquired first = granted.get(granted.size() - 1 - i);
      Answer again = workers.get(i % workers.size()).acquire(first.body());
      assertThat(again.status()).as("repeat of %s: %s", first, again).isEqualTo(200);
      for (String field : List.of("leaseId", "fencingToken")) {
        assertThat(again.json().getString(field))
            .isEqualTo(first.answer().orElseThrow().json().getString(field));
      }
    }
    history.check();
  }

  <T extends AutoCloseable> T closing(T closeable) {
    opened.push(closeable);
    return closeable;
  }

  EtcdCluster etcd(int nodes) {
    return etcd(EtcdOptions.ofNodes(nodes));
  }

  EtcdCluster etcd(EtcdOptions options) {
    etcd = closing(EtcdCluster.start(options));
    return etcd;
  }

  FaultProxy proxy(EtcdNode node) {
    FaultProxy proxy = EtcdGateway.await(FaultProxy.start(wires, "127.0.0.1", node.port()));
    closing(() -> EtcdGateway.await(proxy.close()));
    return proxy;
  }

  static EtcdSettings through(FaultProxy proxy) {
    return EtcdSettings.of(List.of("http://127.0.0.1:" + proxy.port()));
  }

  /** A gateway that is ready. */
  EtcdGateway gateway(EtcdSettings settings) throws IOException {
    EtcdGateway gateway = unreadyGateway(settings);
    eventually(() -> isReady(gateway));
    return gateway;
  }

  EtcdGateway unreadyGateway(EtcdSettings settings) throws IOException {
    String name = "gateway-" + workers.size();
    EtcdGateway gateway = closing(EtcdGateway.start(folder.resolve(name), POLICIES, settings));
    workers.add(new Worker(name, gateway.worker(), history));
    return gateway;
  }

  static boolean isReady(EtcdGateway gateway) {
    return gateway.operator().get("/readyz").status() == 200;
  }

  Worker worker(int index) {
    return workers.get(index);
  }

  <T> CompletableFuture<T> inBackground(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, threads);
  }

  /** Does something again and again, that long apart, until the test ends. */
  void keepDoing(Duration apart, Runnable work) {
    CompletableFuture.delayedExecutor(apart.toMillis(), TimeUnit.MILLISECONDS, threads)
        .execute(
            () -> {
              if (!done.get()) {
                work.run();
                keepDoing(apart, work);
              }
            });
  }

  /** The fault itself takes this long. */
  static void lasting(Duration time) {
    long startNanos = System.nanoTime();
    Awaitility.await()
        .pollInterval(Duration.ofMillis(20))
        .atMost(time.plusSeconds(30))
        .until(() -> System.nanoTime() - startNanos >= time.toNanos());
  }

  static void eventually(Callable<Boolean> condition) {
    within(PATIENCE, condition);
  }

  static void within(Duration time, Callable<Boolean> condition) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(50))
        .atMost(time)
        .ignoreExceptionsInstanceOf(java.io.UncheckedIOException.class)
        .until(condition);
  }

  static Duration seconds(double quick, double full) {
    return Duration.ofMillis(Math.round(1000 * (FULL ? full : quick)));
  }
}

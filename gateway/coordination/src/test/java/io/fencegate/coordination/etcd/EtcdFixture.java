/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.tck.FaultProxy;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.store.Value;
import io.fencegate.lab.EtcdCluster;
import io.fencegate.lab.EtcdNode;
import io.fencegate.lab.EtcdOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Clusters, stores and proxies that end with the test, and short words for what tests do. */
abstract class EtcdFixture {

  static final KeyRange ALL = KeyRange.under("k/");

  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final long ANSWER_SECONDS = 20;

  Vertx vertx;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  @BeforeEach
  void openVertx() {
    vertx = Vertx.vertx();
  }

  @AfterEach
  void closeAll() throws Exception {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
    await(vertx.close());
  }

  <T extends AutoCloseable> T closing(T closeable) {
    opened.push(closeable);
    return closeable;
  }

  EtcdCluster cluster(int nodes) {
    return cluster(EtcdOptions.ofNodes(nodes));
  }

  EtcdCluster cluster(EtcdOptions options) {
    return closing(EtcdCluster.start(options));
  }

  CoordinationStore store(EtcdCluster cluster) {
    return store(EtcdSettings.of(cluster.endpoints()));
  }

  CoordinationStore store(EtcdSettings settings) {
    CoordinationStore store = await(EtcdStores.open(vertx, settings));
    closing(() -> await(store.close()));
    return store;
  }

  FaultProxy proxy(EtcdNode node) {
    FaultProxy proxy = await(FaultProxy.start(vertx, "127.0.0.1", node.port()));
    closing(() -> await(proxy.close()));
    return proxy;
  }

  static EtcdSettings through(FaultProxy proxy) {
    return EtcdSettings.of(List.of("http://127.0.0.1:" + proxy.port()));
  }

  static Key key(String name) {
    return new Key("k/" + name);
  }

  static Op put(String name, String value) {
    return new Op.Put(key(name), Value.of(value), LeaseHandle.NONE);
  }

  static Batch batch(Op... ops) {
    return new Batch(List.of(), List.of(new Member(List.of(), List.of(ops), List.of())), List.of());
  }

  static long commit(CoordinationStore store, Op... ops) {
    return await(store.commit(batch(ops))).revision();
  }

  static Optional<String> read(CoordinationStore store, String name) {
    var result = (BatchResult.Committed) await(store.commit(batch(new Op.Get(key(name)))));
    return result
        .members()
        .get(0)
        .entry(0)
        .map(it -> new String(it.value().toBytes(), java.nio.charset.StandardCharsets.UTF_8));
  }

  /** Commits until one passes; how long that took. */
  static Duration untilCommitted(CoordinationStore store, String name) {
    long startNanos = System.nanoTime();
    Awaitility.await().atMost(PATIENCE).until(() -> succeeds(store.commit(batch(put(name, "1")))));
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }

  static boolean succeeds(Future<?> future) {
    try {
      await(future);
      return true;
    } catch (CompletionException e) {
      assertThat(e.getCause()).isInstanceOf(StoreException.class);
      return false;
    }
  }

  static StoreException failure(Future<?> future) {
    try {
      Object result = await(future);
      throw new AssertionError("expected a StoreException, got " + result);
    } catch (CompletionException e) {
      assertThat(e.getCause()).isInstanceOf(StoreException.class);
      return (StoreException) e.getCause();
    }
  }

  static <T> T await(Future<T> future) {
    return future
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
        .join();
  }

  static void eventually(org.awaitility.core.ThrowingRunnable assertion) {
    Awaitility.await().atMost(PATIENCE).untilAsserted(assertion);
  }
}

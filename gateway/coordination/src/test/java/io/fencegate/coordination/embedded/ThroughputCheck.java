/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Value;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Prints how many durable commits a second the store makes here, one after another and many at
 * once. A measurement, not a test. Argument: a directory on the disk to measure.
 */
final class ThroughputCheck {

  private static final int VALUE_BYTES = 200;
  private static final int KEYS = 10_000;

  private ThroughputCheck() {}

  public static void main(String[] args) throws Exception {
    Path directory = Files.createTempDirectory(Path.of(args[0]), "throughput");
    Vertx vertx = Vertx.vertx();
    EmbeddedStore store =
        EmbeddedStore.openNow(vertx, directory, new TestClocks(), Bounds.standard(), d -> d);
    measure(store, "warm-up", 64, 20_000, 1);
    measure(store, "one by one", 1, 5_000, 1);
    measure(store, "16 at once", 16, 30_000, 1);
    measure(store, "256 at once", 256, 60_000, 1);
    measure(store, "4 at once, 50 transactions each", 4, 2_000, 50);
    await(store.close());
    await(vertx.close());
  }

  private static void measure(
      EmbeddedStore store, String name, int atOnce, int batches, int members) {
    long writesBefore = store.diskWrites();
    long startNanos = System.nanoTime();
    AtomicInteger left = new AtomicInteger(batches);
    List<Future<BatchResult>> writers =
        Stream.generate(() -> next(store, left, members)).limit(atOnce).toList();
    await(Future.all(writers));
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    System.out.printf(
        "%-32s %8.0f batches/s %8.0f transactions/s, %d batches in %d fsyncs%n",
        name,
        batches / seconds,
        (double) batches * members / seconds,
        batches,
        store.diskWrites() - writesBefore);
  }

  private static Future<BatchResult> next(
      CoordinationStore store, AtomicInteger left, int members) {
    int number = left.decrementAndGet();
    Future<BatchResult> done = store.commit(batch(number, members));
    return number < 1 ? done : done.compose(r -> next(store, left, members));
  }

  private static Batch batch(int number, int members) {
    Value value = Value.of(new byte[VALUE_BYTES]);
    List<Member> all =
        IntStream.range(0, members)
            .mapToObj(i -> new Key("k/" + Math.floorMod(number * members + i, KEYS)))
            .map(key -> (Op) new Op.Put(key, value, LeaseHandle.NONE))
            .map(put -> new Member(List.of(), List.of(put), List.of()))
            .toList();
    return new Batch(List.of(), all, List.of());
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }
}

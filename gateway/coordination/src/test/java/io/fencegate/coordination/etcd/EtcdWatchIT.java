/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.tck.FaultProxy;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Watch;
import io.fencegate.coordination.store.WatchEvent;
import io.fencegate.coordination.store.WatchListener;
import io.fencegate.coordination.store.WatchRecorder;
import io.fencegate.coordination.store.WatchScope;
import io.fencegate.lab.EtcdCluster;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Watches over restarts, dead nodes, flapping wires and compactions. */
class EtcdWatchIT extends EtcdFixture {

  @Test
  void aWatchMissesNothingWhileEtcdRestarts() {
    EtcdCluster cluster = cluster(1);
    CoordinationStore store = store(cluster);
    long from = commit(store, put("before", "1")) + 1;
    WatchRecorder watch = WatchRecorder.open(vertx, store, ALL, from);
    commit(store, put("0", "1"));
    watch.awaitEvents(1);
    for (int i = 1; i <= 3; i++) {
      cluster.node(0).kill();
      cluster.startAll();
      cluster.etcdctl("put", "k/" + i, "1");
    }
    assertThat(keys(watch.awaitEvents(4))).containsExactly("k/0", "k/1", "k/2", "k/3");
  }

  @Test
  void aWatchLeavesANodeThatIsFrozen() {
    EtcdCluster cluster = cluster(3);
    CoordinationStore store = store(cluster);
    long from = commit(store, put("before", "1")) + 1;
    WatchRecorder watch = WatchRecorder.open(vertx, store, ALL, from);
    commit(store, put("0", "1"));
    watch.awaitEvents(1);
    cluster.leader().pause();
    untilCommitted(store, "1");
    assertThat(keys(watch.awaitEvents(2))).startsWith("k/0", "k/1");
  }

  @Test
  void aWatchIsLostWhenItsHistoryIsCompacted() {
    EtcdCluster cluster = cluster(1);
    FaultProxy proxy = proxy(cluster.node(0));
    CoordinationStore store = store(through(proxy));
    CoordinationStore direct = store(cluster);
    long from = commit(store, put("before", "1")) + 1;
    WatchRecorder watch = WatchRecorder.open(vertx, store, ALL, from);
    commit(store, put("0", "1"));
    watch.awaitEvents(1);
    proxy.cut();
    commit(direct, put("1", "1"));
    cluster.compact(commit(direct, put("2", "1")));
    proxy.pass();
    assertThat(watch.awaitLoss()).contains("compacted");
    assertThat(watch.events()).hasSize(1);
  }

  @Test
  void aDeleteAtExactlyTheCompactedRevisionIsNotMissedSilently() {
    EtcdCluster cluster = cluster(1);
    CoordinationStore store = store(cluster);
    commit(store, put("doomed", "1"));
    long deleted = commit(store, new Op.Delete(key("doomed")));
    cluster.compact(deleted);
    WatchRecorder watch = WatchRecorder.open(vertx, store, ALL, deleted);
    assertThat(watch.awaitLoss()).contains("compacted");
    WatchRecorder next = WatchRecorder.open(vertx, store, ALL, deleted + 1);
    commit(store, put("next", "1"));
    assertThat(keys(next.awaitEvents(1))).containsExactly("k/next");
  }

  @Test
  void aWatchOnAStoreThatWasWipedIsLost() {
    EtcdCluster cluster = cluster(1);
    CoordinationStore store = store(cluster);
    long from = commit(store, put("before", "1")) + 1;
    WatchRecorder watch = WatchRecorder.open(vertx, store, ALL, from);
    IntStream.range(0, 5).forEach(i -> commit(store, put("0", "" + i)));
    watch.awaitEvents(5);
    cluster.wipe();
    assertThat(watch.awaitLoss()).contains("revision");
  }

  @Test
  void flappingLeavesOneStreamPerWatch() {
    EtcdCluster cluster = cluster(1);
    FaultProxy proxy = proxy(cluster.node(0));
    CoordinationStore store = store(through(proxy));
    long from = commit(store, put("before", "1")) + 1;
    List<WatchRecorder> watches =
        IntStream.range(0, 3).mapToObj(i -> WatchRecorder.open(vertx, store, ALL, from)).toList();
    int rounds = Boolean.getBoolean("fencegate.full") ? 30 : 6;
    for (int i = 1; i <= rounds; i++) {
      proxy.reset();
      untilCommitted(store, "round-" + i);
      int told = i;
      watches.forEach(
          watch -> assertThat(keys(watch.awaitEvents(told))).contains("k/round-" + told));
    }
    eventually(
        () ->
            assertThat(cluster.node(0).metric("etcd_debugging_mvcc_watch_stream_total"))
                .isEqualTo(3));
    watches.forEach(WatchRecorder::close);
    eventually(
        () ->
            assertThat(cluster.node(0).metric("etcd_debugging_mvcc_watch_stream_total")).isZero());
  }

  @Test
  void aListenerThatFailsLosesItsWatchAndIsTold() {
    EtcdCluster cluster = cluster(1);
    CoordinationStore store = store(cluster);
    long from = commit(store, put("before", "1")) + 1;
    CompletableFuture<String> loss = new CompletableFuture<>();
    Context context = vertx.getOrCreateContext();
    List<Throwable> reported = new CopyOnWriteArrayList<>();
    context.exceptionHandler(reported::add);
    context.runOnContext(
        unused -> {
          Watch opened = store.watch(ALL, from, WatchScope.ALL, new Failing(loss));
          assertThat(opened).isNotNull();
        });
    commit(store, put("0", "1"));
    assertThat(await(Future.fromCompletionStage(loss))).contains("listener failed");
    assertThat(reported).hasSize(1).allMatch(it -> it.getMessage().equals("no use"));
  }

  private record Failing(CompletableFuture<String> loss) implements WatchListener {
    @Override
    public void changed(List<WatchEvent> events) {
      throw new IllegalStateException("no use");
    }

    @Override
    public void lost(String reason) {
      loss.complete(reason);
    }
  }

  @Test
  void somebodyElsesStrangeKeysDisturbNobody() {
    EtcdCluster cluster = cluster(1);
    CoordinationStore store = store(cluster);
    long from = commit(store, put("a", "1")) + 1;
    WatchRecorder watch = WatchRecorder.open(vertx, store, ALL, from);
    cluster.etcdctl("put", "k/not a key\n", "x");
    commit(store, put("z", "1"));
    assertThat(keys(watch.awaitEvents(1))).containsExactly("k/z");
    assertThat(await(store.range(ALL, 10)).entries()).hasSize(2);
  }

  private static List<String> keys(List<WatchEvent> events) {
    return events.stream().map(it -> it.key().path()).toList();
  }
}

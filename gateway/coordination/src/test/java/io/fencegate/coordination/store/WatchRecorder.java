/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A watch on a context of its own that keeps what it is told, and checks on which thread and order.
 */
public final class WatchRecorder implements WatchListener {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Context context;
  private final List<WatchEvent> events = new CopyOnWriteArrayList<>();
  private final List<String> losses = new CopyOnWriteArrayList<>();
  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private volatile Watch watch = () -> {};

  private WatchRecorder(Context context) {
    this.context = context;
  }

  public static WatchRecorder open(
      Vertx vertx, CoordinationStore store, KeyRange range, long fromRevision) {
    return open(vertx, store, range, fromRevision, WatchScope.ALL);
  }

  public static WatchRecorder open(
      Vertx vertx, CoordinationStore store, KeyRange range, long fromRevision, WatchScope scope) {
    WatchRecorder recorder = new WatchRecorder(vertx.getOrCreateContext());
    recorder.onContext(() -> recorder.watch = store.watch(range, fromRevision, scope, recorder));
    return recorder;
  }

  /** Closes the watch on its own context. */
  public void close() {
    onContext(() -> watch.close());
  }

  /** Makes the listener's context wait, as a slow listener would. */
  public void blockUntil(CountDownLatch release) {
    context.runOnContext(
        ignored -> {
          try {
            if (!release.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
              complaints.add("never released");
            }
          } catch (InterruptedException e) {
            complaints.add("interrupted");
          }
        });
  }

  private void onContext(Runnable task) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    context.runOnContext(
        ignored -> {
          task.run();
          done.complete(null);
        });
    done.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
  }

  @Override
  public void changed(List<WatchEvent> more) {
    if (Vertx.currentContext() != context) {
      complaints.add("told on another context");
    }
    if (more.isEmpty()) {
      complaints.add("told of nothing");
    }
    long last = events.isEmpty() ? 0 : events.get(events.size() - 1).revision();
    if (!more.isEmpty() && !events.isEmpty() && more.get(0).revision() <= last) {
      complaints.add("revision " + more.get(0).revision() + " told after " + last);
    }
    for (WatchEvent event : more) {
      if (event.revision() < last) {
        complaints.add("revision " + event.revision() + " after " + last);
      }
      last = event.revision();
      events.add(event);
    }
  }

  @Override
  public void lost(String reason) {
    losses.add(reason);
  }

  public List<WatchEvent> events() {
    assertThat(complaints).isEmpty();
    return List.copyOf(events);
  }

  public List<WatchEvent> awaitEvents(int count) {
    await().atMost(PATIENCE).until(() -> events.size() >= count);
    return events();
  }

  public String awaitLoss() {
    await().atMost(PATIENCE).until(() -> !losses.isEmpty());
    assertThat(losses).hasSize(1);
    return losses.get(0);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.store.KeyRange;
import io.fencegate.coordination.store.Watch;
import io.fencegate.coordination.store.WatchEvent;
import io.fencegate.coordination.store.WatchListener;
import io.fencegate.coordination.store.WatchScope;
import io.vertx.core.Context;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One open watch: fed by the writer's thread, told on its own context, closed by anybody. What is
 * on the way to the context is bounded.
 */
final class Subscription implements Watch {

  private final KeyRange range;
  private final long fromRevision;
  private final WatchScope scope;
  private final WatchListener listener;
  private final Context context;
  private final AtomicLong bytesOnTheWay = new AtomicLong();
  private volatile boolean closed;

  Subscription(
      KeyRange range,
      long fromRevision,
      WatchScope scope,
      WatchListener listener,
      Context context) {
    this.range = range;
    this.fromRevision = fromRevision;
    this.scope = scope;
    this.listener = listener;
    this.context = context;
  }

  long fromRevision() {
    return fromRevision;
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Sends on what the watch asks for.
   *
   * @return whether it goes on; if not, it was told that it is lost, or nobody is there to be told
   */
  boolean offer(List<Revision> revisions, long maxBytes) {
    List<WatchEvent> events =
        revisions.stream()
            .filter(revision -> revision.number() >= fromRevision)
            .flatMap(revision -> revision.events().stream())
            .filter(this::isAskedFor)
            .toList();
    if (events.isEmpty()) {
      return true;
    }
    long bytes = events.stream().mapToLong(Revision::bytes).sum();
    if (bytesOnTheWay.addAndGet(bytes) > maxBytes) {
      lose("the listener is slower than the changes");
      return false;
    }
    return onContext(
        () -> {
          bytesOnTheWay.addAndGet(-bytes);
          if (!closed) {
            listener.changed(events);
          }
        });
  }

  private boolean isAskedFor(WatchEvent event) {
    return range.contains(event.key())
        && (scope == WatchScope.ALL || event instanceof WatchEvent.Deleted);
  }

  void lose(String reason) {
    onContext(
        () -> {
          if (!closed) {
            closed = true;
            listener.lost(reason);
          }
        });
  }

  private boolean onContext(Runnable task) {
    try {
      context.runOnContext(ignored -> task.run());
      return true;
    } catch (RejectedExecutionException e) {
      // The context's Vert.x is closed: there is nobody left to tell.
      closed = true;
      return false;
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}

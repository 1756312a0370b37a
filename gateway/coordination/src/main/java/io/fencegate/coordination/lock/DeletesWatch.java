/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.coordination.store.RangePage;
import io.fencegate.coordination.store.Watch;
import io.fencegate.coordination.store.WatchEvent;
import io.fencegate.coordination.store.WatchListener;
import io.fencegate.coordination.store.WatchScope;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A watch over the deletes in a range that is opened again whenever it ends. */
final class DeletesWatch {

  /** Told what the watch tells, and what it may have missed. */
  interface Listener {

    void deleted(WatchEvent.Deleted event);

    /** The watch is open now; what happened up to this revision was not told. */
    void missedUpTo(long revision);
  }

  private static final Duration REOPEN_PAUSE = Duration.ofMillis(250);

  private static final Logger LOG = LoggerFactory.getLogger(DeletesWatch.class);

  private final Vertx vertx;
  private final CoordinationStore store;
  private final KeyRange range;
  private final Listener listener;
  private @Nullable Watch watch;
  private boolean closed;
  private boolean warned;

  DeletesWatch(Vertx vertx, CoordinationStore store, KeyRange range, Listener listener) {
    this.vertx = vertx;
    this.store = store;
    this.range = range;
    this.listener = listener;
  }

  void open() {
    if (!closed) {
      store.range(range, 1).onSuccess(this::opened).onFailure(this::retry);
    }
  }

  private void opened(RangePage page) {
    if (!closed) {
      warned = false;
      watch = store.watch(range, page.revision() + 1, WatchScope.DELETES, new Dispatcher());
      listener.missedUpTo(page.revision());
    }
  }

  private void retry(Throwable failure) {
    if (!warned && !closed) {
      warned = true;
      LOG.warn("the watch over {} does not open: {}", range.from(), failure.getMessage());
    }
    vertx.setTimer(REOPEN_PAUSE.toMillis(), unused -> open());
  }

  /**
   * Leaves the watch for one at the present revision: an open one may wait for revisions that come
   * only much later, if ever.
   */
  void reopen() {
    Watch present = watch;
    if (present != null) {
      watch = null;
      present.close();
      open();
    }
  }

  void close() {
    closed = true;
    if (watch != null) {
      watch.close();
    }
  }

  private final class Dispatcher implements WatchListener {

    @Override
    public void changed(List<WatchEvent> events) {
      for (WatchEvent event : events) {
        if (event instanceof WatchEvent.Deleted deleted) {
          listener.deleted(deleted);
        }
      }
    }

    @Override
    public void lost(String reason) {
      LOG.info("the watch over {} ended: {}; opening it again", range.from(), reason);
      watch = null;
      open();
    }
  }
}

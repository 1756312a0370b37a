/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Watch;
import io.fencegate.coordination.store.WatchEvent;
import io.fencegate.coordination.store.WatchListener;
import io.fencegate.coordination.store.WatchScope;
import io.fencegate.policy.name.ResourceName;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One watch per gateway over all locks. It only makes somebody ask again sooner: what it tells may
 * be late or missing, and a linearizable answer decides. Used from one context.
 */
public final class LockChanges {

  /** Told that a lock has a new holder or none. */
  public interface Listener {

    void lockChanged(ResourceName resource);

    /** Changes may have been missed: any lock may have changed. */
    void missedChanges();
  }

  private static final Duration REOPEN_PAUSE = Duration.ofMillis(250);

  private static final Logger LOG = LoggerFactory.getLogger(LockChanges.class);

  private final Vertx vertx;
  private final CoordinationStore store;
  private final Keyspace keys;
  private final List<Listener> listeners = new ArrayList<>();
  private @Nullable Watch watch;
  private boolean closed;
  private boolean warned;

  public LockChanges(Vertx vertx, CoordinationStore store, Keyspace keys) {
    this.vertx = vertx;
    this.store = store;
    this.keys = keys;
  }

  public void listen(Listener listener) {
    listeners.add(listener);
  }

  /** Opens the watch at the store's present revision, again and again until it is open. */
  public void open() {
    if (closed) {
      return;
    }
    store
        .range(keys.locks(), 1)
        .onSuccess(
            page -> {
              if (!closed) {
                warned = false;
                watch =
                    store.watch(
                        keys.locks(), page.revision() + 1, WatchScope.ALL, new Dispatcher());
                listeners.forEach(Listener::missedChanges);
              }
            })
        .onFailure(
            failure -> {
              warnOnce(failure);
              vertx.setTimer(REOPEN_PAUSE.toMillis(), unused -> open());
            });
  }

  private void warnOnce(Throwable failure) {
    if (!warned && !closed) {
      warned = true;
      LOG.warn("the watch over locks does not open: {}", failure.getMessage());
    }
  }

  public void close() {
    closed = true;
    if (watch != null) {
      watch.close();
    }
  }

  /** This gateway has just freed the lock itself. */
  void seenHere(ResourceName resource) {
    listeners.forEach(listener -> listener.lockChanged(resource));
  }

  private final class Dispatcher implements WatchListener {

    @Override
    public void changed(List<WatchEvent> events) {
      for (WatchEvent event : events) {
        if (isRenewal(event)) {
          continue;
        }
        ResourceName resource = keys.resourceOfLock(event.key());
        listeners.forEach(listener -> listener.lockChanged(resource));
      }
    }

    @Override
    public void lost(String reason) {
      LOG.info("the watch over locks ended: {}; opening it again", reason);
      open();
    }

    private boolean isRenewal(WatchEvent event) {
      return event instanceof WatchEvent.Changed changed && isRenewed(changed.entry());
    }

    private boolean isRenewed(Entry entry) {
      return entry.createRevision() != entry.modRevision();
    }
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.WatchEvent;
import io.fencegate.policy.name.ResourceName;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;

/**
 * One watch per gateway over all locks and one over all queues, of deletes only: a lock changes
 * hands only through one, so renewals and waits cost no events. They only make somebody ask again
 * sooner: what they tell may be late or missing, and a linearizable answer decides. Used from one
 * context.
 */
public final class LockChanges {

  /** Told that a lock has lost its holder. */
  public interface Listener {

    /**
     * The lock was deleted.
     *
     * @param revision of the delete: a holder with a higher create revision is another one
     */
    void lockChanged(ResourceName resource, long revision);

    /** Changes may have been missed: any lock may have changed. */
    void missedChanges();
  }

  private final Keyspace keys;
  private final DeletesWatch locks;
  private final DeletesWatch places;
  private final List<Listener> listeners = new ArrayList<>();
  private final List<QueueChanges> queues = new ArrayList<>();

  public LockChanges(Vertx vertx, CoordinationStore store, Keyspace keys) {
    this.keys = keys;
    this.locks = new DeletesWatch(vertx, store, keys.locks(), new Locks());
    this.places = new DeletesWatch(vertx, store, keys.places(), new Places());
  }

  public void listen(Listener listener) {
    listeners.add(listener);
  }

  void listen(QueueChanges listener) {
    queues.add(listener);
  }

  /** Opens the watches at the store's present revision, again and again until they are open. */
  public void open() {
    locks.open();
    places.open();
  }

  /** The coordinator may be at a lower revision than before: watches from there on. */
  public void reopen() {
    locks.reopen();
    places.reopen();
  }

  public void close() {
    locks.close();
    places.close();
  }

  /** The lock was freed; this gateway tells it of those that it frees itself. */
  void freed(ResourceName resource, long revision) {
    listeners.forEach(listener -> listener.lockChanged(resource, revision));
    queues.forEach(queue -> queue.lockDeleted(resource, revision));
  }

  private final class Locks implements DeletesWatch.Listener {
    @Override
    public void deleted(WatchEvent.Deleted event) {
      keys.resourceOfLock(event.key()).ifPresent(resource -> freed(resource, event.revision()));
    }

    @Override
    public void missedUpTo(long revision) {
      listeners.forEach(Listener::missedChanges);
      queues.forEach(queue -> queue.missedUpTo(revision));
    }
  }

  private final class Places implements DeletesWatch.Listener {
    @Override
    public void deleted(WatchEvent.Deleted event) {
      keys.resourceOfPlace(event.key())
          .ifPresent(
              resource ->
                  queues.forEach(
                      queue -> queue.placeDeleted(resource, event.key(), event.revision())));
    }

    @Override
    public void missedUpTo(long revision) {
      queues.forEach(queue -> queue.missedUpTo(revision));
    }
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import java.util.ArrayList;
import java.util.List;

/** History and the watches that are fed from it. Used by the writer's thread only. */
final class WatchHub {

  private final History history;
  private final long maxBytesPerWatch;
  private final List<Subscription> subscriptions = new ArrayList<>();

  WatchHub(History history, Bounds bounds) {
    this.history = history;
    this.maxBytesPerWatch = bounds.watchBytes();
  }

  long compacted() {
    return history.compacted();
  }

  void open(Subscription subscription) {
    subscriptions.removeIf(Subscription::isClosed);
    long from = subscription.fromRevision();
    if (from <= history.compacted()) {
      subscription.lose(
          "history is kept after revision " + history.compacted() + ", asked for " + from);
    } else if (subscription.offer(history.from(from), maxBytesPerWatch)) {
      subscriptions.add(subscription);
    }
  }

  void publish(List<Revision> revisions) {
    if (!revisions.isEmpty()) {
      history.add(revisions);
      subscriptions.removeIf(s -> s.isClosed() || !s.offer(revisions, maxBytesPerWatch));
    }
  }

  void loseAll(String reason) {
    subscriptions.forEach(subscription -> subscription.lose(reason));
    subscriptions.clear();
  }
}

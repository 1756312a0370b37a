/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/**
 * Lets one after the other in, by name, in the order of arrival. As many wait as the policies'
 * {@code limits.maxInFlight} let in. The bridge from waiting to a future. Used from one context.
 */
final class OneByOne {

  private final AdapterContext context;
  private final Map<String, Queue<Promise<Ruling<Place>>>> waiting = new HashMap<>();

  OneByOne(AdapterContext context) {
    this.context = context;
  }

  /**
   * Granted once everybody before has left.
   *
   * @param deadlineNanos monotonic; refused then
   */
  Future<Ruling<Place>> enter(String name, long deadlineNanos) {
    Queue<Promise<Ruling<Place>>> others = waiting.get(name);
    if (others == null) {
      waiting.put(name, new ArrayDeque<>());
      return Future.succeededFuture(Ruling.granted(new Place(name)));
    }
    Promise<Ruling<Place>> turn = Promise.promise();
    others.add(turn);
    long millis = Math.max(1, context.clocks().read().millisUntil(deadlineNanos));
    long timer =
        context
            .vertx()
            .setTimer(
                millis,
                due -> {
                  others.remove(turn);
                  turn.tryComplete(
                      Ruling.refused(
                          RefusalCode.DOWNSTREAM_BUSY.because(
                              "other writes of the same resource are under way; nothing of this"
                                  + " one was sent")));
                });
    return turn.future().onComplete(unused -> context.vertx().cancelTimer(timer));
  }

  private void next(String name) {
    Queue<Promise<Ruling<Place>>> others = waiting.get(name);
    Promise<Ruling<Place>> first = others == null ? null : others.poll();
    if (first == null) {
      waiting.remove(name);
    } else {
      first.complete(Ruling.granted(new Place(name)));
    }
  }

  /** Being in. */
  final class Place {
    private final String name;
    private boolean left;

    private Place(String name) {
      this.name = name;
    }

    /** Lets the next one in. Idempotent. */
    void leave() {
      if (!left) {
        left = true;
        next(name);
      }
    }
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import io.fencegate.coordination.Coordination;
import io.fencegate.coordination.slot.Whereabouts;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.server.relay.Owners;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a gateway takes for the owner, as the test says. Thread-safe. */
final class ToldOwners implements Owners {

  private final Deque<Future<Whereabouts>> told = new ArrayDeque<>();
  private @Nullable Coordination coordination;
  private int asked;

  Owners of(Coordination gateway) {
    coordination = gateway;
    return this;
  }

  /** The answers to come; the last one stands. */
  synchronized void say(Whereabouts... answers) {
    asked = 0;
    told.clear();
    List.of(answers).forEach(it -> told.add(Future.succeededFuture(it)));
  }

  void sayHere() {
    say(new Whereabouts.Here());
  }

  /** Says nothing until the promise is kept. */
  synchronized Promise<Whereabouts> sayLater() {
    asked = 0;
    told.clear();
    Promise<Whereabouts> later = Promise.promise();
    told.add(later.future());
    return later;
  }

  /** How often it was asked since it was told last. */
  synchronized int asked() {
    return asked;
  }

  @Override
  public synchronized Future<Whereabouts> locate(ResourceName resource, long deadlineNanos) {
    asked++;
    return told.size() > 1 ? told.remove() : told.element();
  }

  @Override
  public String session() {
    return Objects.requireNonNull(coordination).session().id();
  }
}

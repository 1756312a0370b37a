/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the session again and settles doubt, again and again until both are done; meanwhile nothing
 * may be sent. Doubt is settled by raising the session's counter (see {@link GatewaySession}): only
 * then can a first sending not be committed behind a second one.
 */
final class Recovery {

  /** Shortest time between two attempts. */
  private static final Duration PAUSE = Duration.ofMillis(250);

  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

  private final Vertx vertx;
  private final GatewaySession session;
  private final Consumer<List<Pending>> settled;
  private final Runnable done;
  private final List<Pending> doubted = new ArrayList<>();
  private boolean underWay;

  /**
   * A recovery that is not under way.
   *
   * @param settled takes what may be sent again
   * @param done told when sending may go on
   */
  Recovery(Vertx vertx, GatewaySession session, Consumer<List<Pending>> settled, Runnable done) {
    this.vertx = vertx;
    this.session = session;
    this.settled = settled;
    this.done = done;
  }

  boolean isUnderWay() {
    return underWay;
  }

  /** Finds the session and the generation again. */
  void begin() {
    if (!underWay) {
      underWay = true;
      attempt();
    }
  }

  /** Settles whether these were committed. */
  void settle(List<Pending> members) {
    doubted.addAll(members);
    begin();
  }

  private void attempt() {
    // Nobody waits for those that were answered meanwhile.
    doubted.removeIf(Pending::isAnswered);
    List<Pending> settling = List.copyOf(doubted);
    Future<Void> step = settling.isEmpty() ? session.refresh() : session.settle();
    step.onSuccess(unused -> settled(settling))
        .onFailure(
            failure -> {
              LOG.warn("the coordinator does not answer: {}", failure.getMessage());
              later();
            });
  }

  /** Only what was in doubt before the settling step began is settled by it. */
  private void settled(List<Pending> settling) {
    doubted.subList(0, settling.size()).clear();
    settled.accept(settling);
    if (doubted.isEmpty()) {
      underWay = false;
      done.run();
    } else {
      later();
    }
  }

  private void later() {
    vertx.setTimer(PAUSE.toMillis(), unused -> attempt());
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the session again and settles doubt, again and again until both are done; meanwhile nothing
 * may be sent. Doubt is settled by raising the session's counter (see {@link GatewaySession}): only
 * then can a first sending not be committed behind a second one.
 */
final class Recovery {

  /** Shortest time between two attempts. */
  static final Duration PAUSE = Duration.ofMillis(250);

  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

  private final Vertx vertx;
  private final GatewaySession session;
  private final Listener listener;
  private final List<Pending> doubted = new ArrayList<>();
  private boolean underWay;
  private boolean unsettled;

  /** Told of what a recovery has come to. */
  interface Listener {

    /** These are not in doubt any more. */
    void sendAgain(List<Pending> settled);

    /** There is no session, and there will be none until there is space. */
    void outOfSpace(String reason);

    /** Sending may go on. */
    void done();
  }

  /** A recovery that is not under way. */
  Recovery(Vertx vertx, GatewaySession session, Listener listener) {
    this.vertx = vertx;
    this.session = session;
    this.listener = listener;
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
    unsettled = true;
    begin();
  }

  private void attempt() {
    // Nobody waits for those that were answered meanwhile; yet they must not be committed later.
    doubted.removeIf(Pending::isAnswered);
    List<Pending> settling = List.copyOf(doubted);
    boolean raises = unsettled;
    unsettled = false;
    Future<Void> step = raises ? session.settle() : session.refresh();
    step.onSuccess(unused -> settled(settling, true))
        .onFailure(
            failure -> {
              if (OutOfSpace.is(failure)) {
                withoutSpace(settling, OutOfSpace.reason(failure));
              } else {
                unsettled |= raises;
                LOG.warn("the coordinator does not answer: {}", failure.getMessage());
                later();
              }
            });
  }

  /**
   * What was in doubt cannot be committed any more, but whether it was cannot be found out by
   * sending it again.
   */
  private void withoutSpace(List<Pending> settling, String reason) {
    settling.forEach(pending -> pending.giveUp(reason));
    listener.outOfSpace(reason);
    settled(settling, false);
  }

  /** Only what was in doubt before the settling step began is settled by it. */
  private void settled(List<Pending> settling, boolean sendAgain) {
    doubted.subList(0, settling.size()).clear();
    if (sendAgain) {
      listener.sendAgain(settling);
    }
    if (doubted.isEmpty()) {
      underWay = false;
      listener.done();
    } else {
      later();
    }
  }

  private void later() {
    vertx.setTimer(PAUSE.toMillis(), unused -> attempt());
  }
}

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
  private final Landing landing;
  private final List<Pending> doubted = new ArrayList<>();
  private boolean underWay;

  /** What comes of it. */
  interface Landing {

    /** These may be sent again. */
    void settled(List<Pending> members);

    /** Nothing can be put until there is space. */
    void noSpace(String reason);

    /** Sending may go on. */
    void recovered();
  }

  Recovery(Vertx vertx, GatewaySession session, Landing landing) {
    this.vertx = vertx;
    this.session = session;
    this.landing = landing;
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
    step.onSuccess(
            unused -> {
              landing.settled(settling);
              settled(settling.size());
            })
        .onFailure(
            failure -> {
              if (OutOfSpace.isIt(failure)) {
                withoutSpace(settling, OutOfSpace.reason(failure));
              } else {
                LOG.warn("the coordinator does not answer: {}", failure.getMessage());
                later();
              }
            });
  }

  /**
   * There is no session and there will be none until there is space. What was in doubt cannot be
   * committed any more, but whether it was cannot be found out by sending it again.
   */
  private void withoutSpace(List<Pending> settling, String reason) {
    settling.forEach(pending -> pending.giveUp(reason));
    landing.noSpace(reason);
    settled(settling.size());
  }

  /** Only what was in doubt before the settling step began is settled by it. */
  private void settled(int many) {
    doubted.subList(0, many).clear();
    if (doubted.isEmpty()) {
      underWay = false;
      landing.recovered();
    } else {
      later();
    }
  }

  private void later() {
    vertx.setTimer(PAUSE.toMillis(), unused -> attempt());
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.relay;

import io.fencegate.adapter.spi.ProxiedRequest;
import io.fencegate.coordination.cluster.GatewayKey;
import io.fencegate.coordination.slot.Whereabouts;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.server.config.Listener;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request's way to the gateway that carries it out, over as many tries as it takes to find it.
 * There is a next try only while it is proven that the request was not carried out and nothing of
 * its body was read.
 */
final class Journey {

  /** Ownership moves once in a while, not several times while one request looks for it. */
  private static final int MAX_TRIES = 3;

  /**
   * Before another try: what this gateway knows of the owner may be older than what that one does.
   */
  private static final Duration PAUSE = Duration.ofMillis(250);

  /** For the answer's way back, after the other gateway has to be done. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  private static final Logger LOG = LoggerFactory.getLogger(Journey.class);

  private static final long NANOS_PER_MILLI = 1_000_000L;

  private final Relay.Parts parts;
  private final Relay.Errand errand;
  private int tries;
  private boolean callerGone;
  private @Nullable Hop hop;

  Journey(Relay.Parts parts, Relay.Errand errand) {
    this.parts = parts;
    this.errand = errand;
  }

  /** Goes where the first look says, once it says so. */
  Future<Passage> run(Future<Whereabouts> firstLook) {
    errand.request().caller().onHangUp(gone -> hungUp());
    return firstLook.compose(this::go);
  }

  private void hungUp() {
    callerGone = true;
    if (hop != null) {
      hop.callerGone();
    }
  }

  private Future<Passage> go(Whereabouts where) {
    return callerGone
        ? Relay.OVER
        : where.fold(() -> Relay.HERE, this::elsewhere, nowhere -> handover(nowhere.reason()));
  }

  private Future<Passage> elsewhere(Whereabouts.Elsewhere there) {
    return Listener.parse(there.address())
        .fold(
            address -> parts.keys().current().compose(key -> sign(there, address, key)),
            bad ->
                handover(
                    "the address of the gateway that carries the writes out: " + bad.message()));
  }

  private Future<Passage> sign(Whereabouts.Elsewhere there, Listener address, GatewayKey key) {
    String me = parts.owners().session();
    if (me.isEmpty()) {
      return refused(RefusalCode.COORDINATOR_UNAVAILABLE.because("this gateway has no session"));
    }
    ProxiedRequest request = errand.request();
    return send(
        address, HopHeader.signed(key, me, there.session(), request.method(), request.target()));
  }

  private Future<Passage> send(Listener address, HopHeader header) {
    if (callerGone) {
      return Relay.OVER;
    }
    long millis = parts.clocks().read().millisUntil(errand.deadlineNanos());
    if (millis <= 0) {
      return handover("time was up before it was known who carries the resource's writes out");
    }
    tries++;
    Hop next =
        new Hop(
            parts.client(),
            parts.vertx(),
            new Hop.Sending(
                address,
                errand.request(),
                HopHeaders.there(errand.request().headers(), header, millis),
                tries < MAX_TRIES,
                GRACE.plusMillis(millis)));
    hop = next;
    return next.run()
        .compose(
            end ->
                end.fold(
                    () -> Relay.OVER,
                    notTaken -> again(notTaken.reason()),
                    unknown -> refused(inDoubt(unknown.reason()))));
  }

  private Future<Passage> again(String reason) {
    hop = null;
    long pauseEndNanos =
        parts.clocks().read().monotonicNanos() + PAUSE.toMillis() * NANOS_PER_MILLI;
    return tries >= MAX_TRIES || errand.deadlineNanos() - pauseEndNanos <= 0
        ? handover("the gateway that carries the resource's writes out: " + reason)
        : parts
            .vertx()
            .timer(PAUSE.toMillis(), TimeUnit.MILLISECONDS)
            .compose(waited -> parts.owners().locate(errand.resource(), errand.deadlineNanos()))
            .compose(this::go);
  }

  private Refusal inDoubt(String reason) {
    LOG.warn("a write to {} was sent on and its outcome is unknown: {}", errand.resource(), reason);
    String howToFindOut =
        errand.request().headers().contains("Idempotency-Key")
            ? "; ask GET /v1/writes/" + errand.resource() + "?key=<Idempotency-Key>"
            : "; without an Idempotency-Key only the downstream itself can tell";
    return RefusalCode.OUTCOME_UNKNOWN.because(
        "sent on to the gateway that carries the resource's writes out, " + reason + howToFindOut);
  }

  private static Future<Passage> handover(String why) {
    return refused(RefusalCode.HANDOVER.because(why));
  }

  private static Future<Passage> refused(Refusal refusal) {
    return Future.succeededFuture(new Passage.Refused(refusal));
  }
}

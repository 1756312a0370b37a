/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.relay;

import io.fencegate.adapter.spi.ProxiedRequest;
import io.fencegate.coordination.cluster.GatewayKeys;
import io.fencegate.coordination.slot.Whereabouts;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.PoolOptions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings requests to the gateway that carries out their resource's writes. A request takes one hop
 * at most: one that was relayed is served where it arrives or refused there, whoever that gateway
 * takes for the owner. Futures never fail. Used from one context.
 */
public final class Relay {

  static final Future<Passage> HERE = Future.succeededFuture(new Passage.Here());
  static final Future<Passage> OVER = Future.succeededFuture(new Passage.Over());

  /** To one other gateway; what it has under way at once is a few times less. */
  private static final int MAX_CONNECTIONS = 256;

  /** Requests that wait for one of them: some tenths of a second's work. */
  private static final int MAX_WAITING = 1_024;

  /** Below the 75 s after which the other gateway closes a connection that is not used. */
  private static final int KEEP_ALIVE_SECONDS = 30;

  /** A connection on which nothing moves in the midst of a request: as long as a caller's own. */
  private static final int IDLE_SECONDS = 75;

  /** Heads of answers: a downstream's own, and the gateway's words. */
  private static final int MAX_HEADER_BYTES = 80 * 1024;

  private static final char FIRST_VISIBLE = '!';
  private static final char LAST_VISIBLE = '~';

  private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

  private final Parts parts;

  /** What the relay works with. */
  record Parts(
      Vertx vertx, Clocks clocks, Owners owners, GatewayKeys keys, HttpClientAgent client) {}

  /**
   * A request whose place is to be found.
   *
   * @param request with its body unread, and the target as it came
   * @param owned whether one gateway alone may carry out its resource's writes
   * @param deadlineNanos monotonic; by when it has to be carried out
   */
  public record Errand(
      ResourceName resource, ProxiedRequest request, boolean owned, long deadlineNanos) {}

  public Relay(Vertx vertx, Clocks clocks, Owners owners, GatewayKeys keys) {
    HttpClientOptions options =
        new HttpClientOptions()
            .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
            .setIdleTimeout(IDLE_SECONDS)
            .setIdleTimeoutUnit(TimeUnit.SECONDS)
            .setMaxHeaderSize(MAX_HEADER_BYTES);
    PoolOptions pool =
        new PoolOptions().setHttp1MaxSize(MAX_CONNECTIONS).setMaxWaitQueueSize(MAX_WAITING);
    this.parts = new Parts(vertx, clocks, owners, keys, vertx.createHttpClient(options, pool));
  }

  /** Whether {@link #pass} has anything to look at; if not the request is for this gateway. */
  public static boolean concerns(MultiMap headers, boolean owned) {
    return owned || headers.contains(HopHeader.NAME);
  }

  /**
   * Finds out whether a request is for this gateway, and brings it to the right one if not. Where
   * it is for this one the answer comes in the same turn, if nothing has to be asked.
   */
  public Future<Passage> pass(Errand errand) {
    ProxiedRequest request = errand.request();
    Future<Passage> passage =
        request.headers().contains(HopHeader.NAME)
            ? signed(parts, request.method(), request.target(), request.headers())
                .compose(
                    arrived ->
                        arrived instanceof Passage.Here
                            ? relayed(errand)
                            : Future.succeededFuture(arrived))
            : find(errand);
    return passage.succeeded() ? passage : passage.otherwise(Relay::failed);
  }

  /** What a gateway may ask another one for, beside the requests of its callers. */
  public OwnerCalls calls() {
    return new OwnerCalls(parts);
  }

  private Future<Passage> find(Errand errand) {
    if (!errand.owned()) {
      return HERE;
    }
    Future<Whereabouts> look = parts.owners().locate(errand.resource(), errand.deadlineNanos());
    if (look.succeeded() && look.result() instanceof Whereabouts.Here) {
      return HERE;
    }
    return isPlain(errand.request().target())
        ? new Journey(parts, errand).run(look)
        : refused(
            RefusalCode.INVALID_REQUEST
                .because("the request's target has characters that do not belong there")
                .atField("path"));
  }

  /** Whether it reads the same at both ends of a connection. */
  private static boolean isPlain(String target) {
    return target.chars().allMatch(c -> c >= FIRST_VISIBLE && c <= LAST_VISIBLE);
  }

  /** Whether another gateway has sent this very request to this session. */
  static Future<Passage> signed(Parts parts, String method, String target, MultiMap headers) {
    List<String> hops = headers.getAll(HopHeader.NAME);
    return hops.isEmpty()
        ? malformed("nothing was given, expected a gateway's signature")
        : HopHeader.parse(hops)
            .fold(
                header ->
                    parts
                        .keys()
                        .current()
                        .compose(
                            key ->
                                header.isOf(key, method, target)
                                    ? forThisSession(parts, header)
                                    : malformed(
                                        "a signature that does not fit was given, expected none"
                                            + " from a caller")),
                bad -> malformed(bad.message()));
  }

  private static Future<Passage> forThisSession(Parts parts, HopHeader header) {
    return header.to().equals(parts.owners().session())
        ? HERE
        : refused(RefusalCode.HANDOVER.because("this gateway has begun anew meanwhile"));
  }

  /** A request that has taken its one hop. */
  private Future<Passage> relayed(Errand errand) {
    return errand.owned()
        ? parts
            .owners()
            .locate(errand.resource(), errand.deadlineNanos())
            .compose(where -> where instanceof Whereabouts.Here ? HERE : notHereEither())
        : HERE;
  }

  private static Future<Passage> notHereEither() {
    return refused(
        RefusalCode.HANDOVER.because(
            "another gateway took this one for the one that carries the resource's writes out"));
  }

  private static Future<Passage> malformed(String message) {
    return refused(
        RefusalCode.INVALID_REQUEST
            .because(HopHeader.NAME + ": " + message)
            .atField(HopHeader.NAME));
  }

  private static Future<Passage> refused(Refusal refusal) {
    return Future.succeededFuture(new Passage.Refused(refusal));
  }

  /** Without the key nothing was sent; after a defect nothing is claimed. */
  static Passage failed(Throwable cause) {
    if (cause instanceof StoreException) {
      return new Passage.Refused(
          RefusalCode.COORDINATOR_UNAVAILABLE.because(
              "what gateways recognise each other by could not be read: " + cause.getMessage()));
    }
    LOG.error("relaying a request met a defect", cause);
    return new Passage.Refused(RefusalCode.INTERNAL_ERROR.because("see the gateway's log"));
  }

  public Future<Void> close() {
    return parts.client().close();
  }
}

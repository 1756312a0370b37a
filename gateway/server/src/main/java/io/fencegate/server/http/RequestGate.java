/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * What every worker request passes first: refused while draining or with headers that cannot be
 * honoured, counted until its answer has been written. Used from one context.
 */
public final class RequestGate {

  /**
   * Requests under way at once: what the callers of a full-sized gateway have open, and half again.
   */
  private static final int MAX_UNDER_WAY = 10_000;

  private final Promise<Void> drained = Promise.promise();

  /** Connections on which nothing has been asked yet. */
  private final Set<HttpConnection> unused = new HashSet<>();

  private boolean draining;
  private boolean closed;
  private int underWay;

  /** Somebody has connected, who may be about to ask something. */
  public void connected(HttpConnection connection) {
    unused.add(connection);
    connection.closeHandler(gone -> unused.remove(connection));
  }

  /** Whether some connection is there on which nothing has been asked yet. */
  public boolean expectsRequests() {
    return !unused.isEmpty();
  }

  void handle(RoutingContext context) {
    HttpServerRequest request = context.request();
    unused.remove(request.connection());
    Optional<Refusal> refusal = objection(request);
    if (refusal.isPresent()) {
      if (closed && request.version() != HttpVersion.HTTP_2) {
        request.response().putHeader(HttpHeaders.CONNECTION, "close");
      }
      refuse(request, refusal.get());
      return;
    }
    underWay++;
    context.addEndHandler(unused -> left());
    if (draining && request.version() != HttpVersion.HTTP_2) {
      request.response().putHeader(HttpHeaders.CONNECTION, "close");
    }
    context.next();
  }

  /** Writes carry the decision in every answer. */
  private static void refuse(HttpServerRequest request, Refusal refusal) {
    String path = request.path();
    boolean write =
        path != null
            && (path.startsWith(WriteHandler.WRITE)
                || path.startsWith(WriteHandler.SEAL)
                || ProxyHandler.isProxied(path));
    if (write) {
      OutcomeHttp.refuseWrite(request.response(), refusal, null);
    } else {
      OutcomeHttp.refuse(request.response(), refusal, null);
    }
  }

  private Optional<Refusal> objection(HttpServerRequest request) {
    if (closed) {
      return Optional.of(RefusalCode.DRAINING.because("this gateway is shutting down"));
    }
    if (underWay >= MAX_UNDER_WAY) {
      return Optional.of(
          RefusalCode.OVERLOADED.because(underWay + " requests are under way already"));
    }
    if (request.headers().contains("Trailer")) {
      return Optional.of(
          RefusalCode.INVALID_REQUEST
              .because("a Trailer header was given, request trailers are not supported")
              .atField("Trailer"));
    }
    String coding = request.getHeader(HttpHeaders.TRANSFER_ENCODING);
    if (coding != null && !coding.equalsIgnoreCase("chunked")) {
      return Optional.of(
          RefusalCode.INVALID_REQUEST
              .because("Transfer-Encoding: only chunked is understood")
              .atField("Transfer-Encoding"));
    }
    String expect = request.getHeader(HttpHeaders.EXPECT);
    return expect == null || expect.equalsIgnoreCase("100-continue")
        ? Optional.empty()
        : Optional.of(
            RefusalCode.EXPECTATION_FAILED
                .because("Expect: only 100-continue can be met")
                .atField("Expect"));
  }

  /** Counts work until it has ended, whether or not its caller is still there. */
  <T> Future<T> track(Future<T> work) {
    underWay++;
    return work.onComplete(unused -> left());
  }

  private void left() {
    underWay--;
    if (closed && underWay == 0) {
      drained.tryComplete();
    }
  }

  public boolean isDraining() {
    return draining;
  }

  /** Still lets everybody in, but asks them to come back on another connection. */
  public void announce() {
    draining = true;
  }

  /** Lets nobody in any more; completes when everybody who was in has been answered. */
  public Future<Void> drain() {
    draining = true;
    closed = true;
    if (underWay == 0) {
      drained.tryComplete();
    }
    return drained.future();
  }
}

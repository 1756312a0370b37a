/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.server.clock.InTime;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeoutException;

/**
 * Reads a request's body into memory, up to a bound and within a time: the bridge from its stream.
 */
final class BoundedBody {

  /** A client that takes longer for a small body has gone away. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Numbers of so many digits fit a long; longer ones are too large in any case. */
  private static final int LONG_DIGITS = 18;

  private BoundedBody() {}

  static Future<Ruling<Buffer>> read(HttpServerRequest request, int maxBytes) {
    String announced = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    if (announced != null
        && (announced.length() > LONG_DIGITS || Long.parseLong(announced) > maxBytes)) {
      return Future.succeededFuture(tooLarge(maxBytes));
    }
    Promise<Ruling<Buffer>> promise = Promise.promise();
    Buffer body = Buffer.buffer();
    request.handler(
        chunk -> {
          if (body.length() + chunk.length() > maxBytes) {
            promise.tryComplete(tooLarge(maxBytes));
          } else {
            body.appendBuffer(chunk);
          }
        });
    request.endHandler(unused -> promise.tryComplete(Ruling.granted(body)));
    request.exceptionHandler(promise::tryFail);
    Expectation.meet(request);
    request.resume();
    return InTime.of(ownVertx(), promise.future(), PATIENCE)
        .otherwise(failure -> Ruling.refused(RefusalCode.REQUEST_TIMEOUT.because(why(failure))));
  }

  /** A request is read in turns of its own context. */
  private static Vertx ownVertx() {
    return Objects.requireNonNull(Vertx.currentContext(), "not in a request's turn").owner();
  }

  private static String why(Throwable failure) {
    return failure instanceof TimeoutException
        ? "the body did not arrive whole within " + PATIENCE.toSeconds() + " s"
        : "the connection broke before the body had arrived whole";
  }

  private static Ruling<Buffer> tooLarge(int maxBytes) {
    return Ruling.refused(
        RefusalCode.BODY_TOO_LARGE.because("the body is larger than " + maxBytes + " bytes"));
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.server.clock.InTime;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeoutException;

/**
 * Reads a proxied request's body into memory, up to a bound and within a time, whether or not its
 * first piece is here already: the bridge from its stream.
 */
final class WholeBody {

  /** A client that takes longer for so small a body has gone away. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private WholeBody() {}

  static Future<Ruling<Buffer>> read(CallerBody body, int maxBytes) {
    Promise<Ruling<Buffer>> read = Promise.promise();
    Buffer whole = Buffer.buffer();
    body.handler(
        chunk -> {
          if (whole.length() + chunk.length() > maxBytes) {
            read.tryComplete(tooLarge(maxBytes));
          } else {
            whole.appendBuffer(chunk);
          }
        });
    body.endHandler(unused -> read.tryComplete(Ruling.granted(whole)));
    body.exceptionHandler(read::tryFail);
    body.begun().onComplete(unused -> body.resume(), read::tryFail);
    return InTime.of(ownVertx(), read.future(), PATIENCE)
        .otherwise(
            failure ->
                failure instanceof CallerBody.TooLarge
                    ? tooLarge(maxBytes)
                    : Ruling.refused(RefusalCode.REQUEST_TIMEOUT.because(why(failure))));
  }

  /** A request is read in turns of its own context. */
  private static Vertx ownVertx() {
    return Objects.requireNonNull(Vertx.currentContext(), "not in a request's turn").owner();
  }

  private static String why(Throwable failure) {
    return failure instanceof TimeoutException
        ? "the body did not arrive whole within " + PATIENCE.toSeconds() + " s"
        : "the body did not arrive whole: " + failure.getMessage();
  }

  static Ruling<Buffer> tooLarge(int maxBytes) {
    return Ruling.refused(
        RefusalCode.BODY_TOO_LARGE.because(
            "the body of a request with an Idempotency-Key is larger than " + maxBytes + " bytes"));
  }
}

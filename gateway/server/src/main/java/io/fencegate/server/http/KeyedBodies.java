/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Bodies of requests with an Idempotency-Key, which are read whole before anything else is done
 * with them, since the key stands for them byte by byte. Bounded for each and for all of them
 * together. Used from one context.
 */
final class KeyedBodies {

  /** A single write of an API, and a small document; what is larger goes without a key. */
  static final int MAX_BYTES = 1024 * 1024;

  /** As many of the largest ones as fit the heap of a small gateway beside everything else. */
  static final long MAX_HELD_BYTES = 64L * MAX_BYTES;

  private static final long RETRY_AFTER_MILLIS = 500;

  private long heldBytes;

  /** What is read, and the bounds for it. */
  record Reading(HttpServerRequest request, OptionalLong announcedBytes, long policyMaxBytes) {
    int maxBytes() {
      return (int) Math.min(MAX_BYTES, policyMaxBytes);
    }
  }

  /** Reads the body, and holds it for as long as {@code work} is under way. */
  <T> Future<T> with(Reading reading, Function<Ruling<Buffer>, Future<T>> work) {
    long bytes = reading.announcedBytes().orElse(reading.maxBytes());
    if (bytes > reading.maxBytes()) {
      return work.apply(
          Ruling.refused(
              RefusalCode.BODY_TOO_LARGE.because(
                  "the body of a request with an Idempotency-Key is larger than "
                      + reading.maxBytes()
                      + " bytes")));
    }
    if (heldBytes + bytes > MAX_HELD_BYTES) {
      return work.apply(
          Ruling.refused(
              RefusalCode.OVERLOADED
                  .because(heldBytes + " bytes of requests with Idempotency-Keys are held already")
                  .retryAfter(RETRY_AFTER_MILLIS)));
    }
    heldBytes += bytes;
    return BoundedBody.read(reading.request(), reading.maxBytes())
        .compose(work)
        .onComplete(unused -> heldBytes -= bytes);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
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

  /**
   * Reads the body, and holds it for as long as {@code work} is under way.
   *
   * @param policyMaxBytes the policy's own bound
   */
  <T> Future<T> with(
      CallerBody body, int policyMaxBytes, Function<Ruling<Buffer>, Future<T>> work) {
    int maxBytes = Math.min(MAX_BYTES, policyMaxBytes);
    long bytes = body.lengthBytes().orElse(maxBytes);
    if (bytes > maxBytes) {
      return work.apply(WholeBody.tooLarge(maxBytes));
    }
    if (heldBytes + bytes > MAX_HELD_BYTES) {
      return work.apply(
          Ruling.refused(
              RefusalCode.OVERLOADED
                  .because(heldBytes + " bytes of requests with Idempotency-Keys are held already")
                  .retryAfter(RETRY_AFTER_MILLIS)));
    }
    heldBytes += bytes;
    return WholeBody.read(body, maxBytes).compose(work).onComplete(unused -> heldBytes -= bytes);
  }
}

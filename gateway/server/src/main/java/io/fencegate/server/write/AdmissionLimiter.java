/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** Bounds the writes that one resource has under way. Used from one context. */
final class AdmissionLimiter {

  /** A hint: most writes end within this time. */
  private static final long RETRY_AFTER_MILLIS = 100;

  private final Map<ResourceName, Integer> underWay = new HashMap<>();

  /** Runs {@code work} in one of {@code limit} places, or refuses. */
  <T> Future<T> within(
      ResourceName resource, int limit, Supplier<Future<T>> work, Function<Refusal, T> refused) {
    int others = underWay.getOrDefault(resource, 0);
    if (others >= limit) {
      return Future.succeededFuture(
          refused.apply(
              RefusalCode.TOO_MANY_IN_FLIGHT
                  .because(others + " writes are in flight, limits.maxInFlight is " + limit)
                  .retryAfter(RETRY_AFTER_MILLIS)));
    }
    underWay.put(resource, others + 1);
    return Future.succeededFuture()
        .compose(unused -> work.get())
        .onComplete(unused -> leave(resource));
  }

  private void leave(ResourceName resource) {
    underWay.computeIfPresent(resource, (unused, count) -> count == 1 ? null : count - 1);
  }
}

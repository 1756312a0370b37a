/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Takes locks and knows which acquires are still at work. Thread-safe. */
final class Acquirer {

  private final HeldLock.Surroundings with;
  private final Map<AcquireRun, CompletableFuture<Void>> underWay = new ConcurrentHashMap<>();

  Acquirer(HeldLock.Surroundings with) {
    this.with = with;
  }

  /** Blocks until the acquire's end, or until one of {@code stops} has a value. */
  AcquireResult acquire(AcquireRequest request, List<CompletableFuture<Problem>> stops) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    AcquireRun run = new AcquireRun(request, with, stops);
    underWay.put(run, end);
    try {
      return run.run();
    } finally {
      CompletableFuture<Void> unused =
          run.farewell()
              .handle(
                  (told, failure) -> {
                    underWay.remove(run);
                    end.complete(null);
                    return null;
                  });
    }
  }

  /**
   * Waits until every acquire has ended and the gateway was told what there was to tell, for as
   * long as one request may take.
   */
  void awaitEnds() {
    CompletableFuture.allOf(underWay.values().toArray(CompletableFuture[]::new))
        .completeOnTimeout(null, with.timeouts().request().toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }
}

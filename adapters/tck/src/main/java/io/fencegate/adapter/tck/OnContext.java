/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.tck;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The bridge from a test's thread to the one context that an adapter is called from. Every wait is
 * bounded: an adapter's future that never completes fails the test.
 */
public final class OnContext {

  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final Context context;

  public OnContext(Vertx vertx) {
    this.context = vertx.getOrCreateContext();
  }

  /** Starts {@code work} on the context and does not wait. */
  public <T> CompletableFuture<T> start(Supplier<Future<T>> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    context.runOnContext(ready -> start(work, result));
    return result;
  }

  private static <T> void start(Supplier<Future<T>> work, CompletableFuture<T> result) {
    try {
      work.get().onComplete(result::complete, result::completeExceptionally);
    } catch (RuntimeException | Error defect) {
      result.completeExceptionally(defect);
    }
  }

  /** Runs {@code work} on the context and waits for its future. */
  public <T> T run(Supplier<Future<T>> work) {
    return await(start(work));
  }

  /** Waits for what was started. */
  public static <T> T await(CompletableFuture<T> started) {
    try {
      return started.get(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError("a future failed: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("a future did not complete within " + LONGEST, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.store.StoreException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A question with one answer: the bridge from the writer's thread to the caller's context. */
final class Request<T> implements Work {

  private final long bytes;
  private final Function<StoreState, T> question;
  private final CompletableFuture<T> answer = new CompletableFuture<>();
  private Runnable outcome =
      () -> {
        throw new IllegalStateException("settled without being judged");
      };

  /**
   * A question that waits.
   *
   * @param question runs on the writer's thread; throws {@link StoreException} to refuse
   */
  Request(long bytes, Function<StoreState, T> question) {
    this.bytes = bytes;
    this.question = question;
  }

  /**
   * Completes in a turn of {@code context}, behind what it was sent before: completed from the
   * writer's thread, a listener that is added in that moment would be told at once.
   */
  Future<T> future(Context context) {
    CompletableFuture<T> inTurn = new CompletableFuture<>();
    var unusedStage =
        answer.whenComplete(
            (result, failure) -> context.runOnContext(turn -> end(inTurn, result, failure)));
    return Future.fromCompletionStage(inTurn, context);
  }

  private static <T> void end(CompletableFuture<T> inTurn, T result, @Nullable Throwable failure) {
    if (failure == null) {
      inTurn.complete(result);
    } else {
      inTurn.completeExceptionally(failure);
    }
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public void judge(StoreState state) {
    try {
      T result = question.apply(state);
      outcome = () -> answer.complete(result);
    } catch (StoreException refusal) {
      outcome = () -> answer.completeExceptionally(refusal);
    }
  }

  @Override
  public void settled(WatchHub watches) {
    outcome.run();
  }

  @Override
  public void failed(StoreException cause) {
    answer.completeExceptionally(cause);
  }
}

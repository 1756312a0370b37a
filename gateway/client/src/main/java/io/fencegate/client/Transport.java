/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Sends one request, once. Thread-safe. */
@FunctionalInterface
interface Transport {

  /** A POST with a JSON body. {@code toString} shows no header and no body: they hold secrets. */
  record Call(String path, Map<String, String> headers, String body) {
    public Call {
      headers = Map.copyOf(headers);
    }

    @Override
    public String toString() {
      return "POST " + path;
    }
  }

  /** What became of a call: the one place where failures are sorted into definite and not. */
  sealed interface Reply {

    /** The gateway, or something before it, answered. */
    record Answer(int status, String contentType, boolean replayed, String body) implements Reply {

      private static final int SUCCESS_CLASS = 2;

      boolean isSuccess() {
        return status / 100 == SUCCESS_CLASS;
      }

      @Override
      public String toString() {
        return "HTTP " + status;
      }
    }

    /** Proof that no byte of the request was accepted by anybody. */
    record NotSent(String reason) implements Reply {}

    /** The request may have been carried out. */
    record InDoubt(String reason) implements Reply {}

    default <R> R fold(
        Function<? super Answer, ? extends R> answer,
        Function<? super NotSent, ? extends R> notSent,
        Function<? super InDoubt, ? extends R> inDoubt) {
      if (this instanceof Answer a) {
        return answer.apply(a);
      }
      return this instanceof NotSent n ? notSent.apply(n) : inDoubt.apply((InDoubt) this);
    }
  }

  /** The future always completes with a value, at the latest shortly after {@code patience}. */
  CompletableFuture<Reply> send(Call call, Duration patience);
}

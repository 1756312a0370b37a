/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.adapter.spi.ProxiedBody;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A caller's body that nobody reads before its write has been let in: paused from the request's
 * first turn on, so that nothing of it is lost, and taken from the wire no faster than the
 * downstream takes it. At most its first piece is kept. Used from one context.
 */
final class CallerBody implements ProxiedBody {

  /** More came than may. */
  static final class TooLarge extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooLarge(long maxBytes) {
      super("the body is larger than " + maxBytes + " bytes");
    }
  }

  private final HttpServerRequest request;
  private final OptionalLong lengthBytes;
  private final Promise<Void> begun = Promise.promise();
  private @Nullable Handler<Buffer> handler;
  private @Nullable Handler<Void> endHandler;
  private @Nullable Handler<Throwable> exceptionHandler;
  private @Nullable Buffer first;
  private long receivedBytes;
  private long maxBytes = Long.MAX_VALUE;
  private boolean flowing;
  private boolean ended;
  private boolean discarding;

  /**
   * @param request in its first turn
   * @param lengthBytes as announced, 0 where there is no body; empty where it comes in chunks
   */
  CallerBody(HttpServerRequest request, OptionalLong lengthBytes) {
    this.request = request;
    this.lengthBytes = lengthBytes;
    request.pause();
    request.handler(this::arrived);
    request.endHandler(whole -> ended());
    request.exceptionHandler(this::broke);
  }

  /**
   * Where more comes, the body fails. Said by who reads it to carry it out, before it does: what is
   * sent on is measured there, where the answer is known too.
   */
  void limitTo(long bytes) {
    maxBytes = bytes;
  }

  @Override
  public OptionalLong lengthBytes() {
    return lengthBytes;
  }

  @Override
  public Future<Void> begun() {
    if (lengthBytes.orElse(1) == 0) {
      begun.tryComplete();
    } else if (!begun.future().isComplete()) {
      Expectation.meet(request);
      request.fetch(1);
    }
    return begun.future();
  }

  private void arrived(Buffer chunk) {
    if (discarding) {
      return;
    }
    receivedBytes += chunk.length();
    if (receivedBytes > maxBytes) {
      broke(new TooLarge(maxBytes));
    } else if (flowing && handler != null) {
      handler.handle(chunk);
    } else {
      first = first == null ? chunk : Buffer.buffer().appendBuffer(first).appendBuffer(chunk);
    }
    begun.tryComplete();
  }

  private void ended() {
    ended = true;
    begun.tryComplete();
    if (flowing) {
      tellEnd();
    }
  }

  private void tellEnd() {
    Handler<Void> told = endHandler;
    endHandler = null;
    if (told != null && !discarding) {
      told.handle(null);
    }
  }

  private void broke(Throwable cause) {
    begun.tryFail(cause);
    Handler<Throwable> told = exceptionHandler;
    if (told != null && !discarding) {
      discarding = true;
      told.handle(cause);
    }
  }

  /** Nobody wants the rest: it is taken from the wire, so that the caller can read its answer. */
  void discard() {
    discarding = true;
    first = null;
    request.resume();
  }

  @Override
  public CallerBody exceptionHandler(@Nullable Handler<Throwable> told) {
    this.exceptionHandler = told;
    return this;
  }

  @Override
  public CallerBody handler(@Nullable Handler<Buffer> told) {
    this.handler = told;
    return this;
  }

  @Override
  public CallerBody endHandler(@Nullable Handler<Void> told) {
    this.endHandler = told;
    return this;
  }

  @Override
  public CallerBody pause() {
    flowing = false;
    request.pause();
    return this;
  }

  @Override
  public CallerBody resume() {
    flowing = true;
    Buffer held = first;
    if (held != null && handler != null) {
      first = null;
      handler.handle(held);
    }
    if (flowing && ended) {
      tellEnd();
    } else if (flowing) {
      request.resume();
    }
    return this;
  }

  @Override
  public CallerBody fetch(long amount) {
    return resume();
  }
}

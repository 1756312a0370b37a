/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.adapter.spi.ProxiedBody;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A body that has arrived whole. Used from one context. */
final class HeldBody implements ProxiedBody {

  private final Buffer body;
  private @Nullable Handler<Buffer> handler;
  private @Nullable Handler<Void> endHandler;
  private boolean flowing;
  private boolean given;
  private boolean ended;

  HeldBody(Buffer body) {
    this.body = body;
  }

  @Override
  public OptionalLong lengthBytes() {
    return OptionalLong.of(body.length());
  }

  @Override
  public Future<Void> begun() {
    return Future.succeededFuture();
  }

  @Override
  public HeldBody resume() {
    flowing = true;
    if (!given && handler != null) {
      given = true;
      if (body.length() > 0) {
        handler.handle(body);
      }
    }
    if (flowing && given && !ended) {
      ended = true;
      if (endHandler != null) {
        endHandler.handle(null);
      }
    }
    return this;
  }

  @Override
  public HeldBody pause() {
    flowing = false;
    return this;
  }

  @Override
  public HeldBody fetch(long amount) {
    return resume();
  }

  @Override
  public HeldBody handler(@Nullable Handler<Buffer> told) {
    this.handler = told;
    return this;
  }

  @Override
  public HeldBody endHandler(@Nullable Handler<Void> told) {
    this.endHandler = told;
    return this;
  }

  @Override
  public HeldBody exceptionHandler(@Nullable Handler<Throwable> told) {
    return this;
  }
}

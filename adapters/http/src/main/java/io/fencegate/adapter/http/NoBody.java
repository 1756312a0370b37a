/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.fencegate.adapter.spi.ProxiedBody;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The body of a request that the adapter asks itself. */
final class NoBody implements ProxiedBody {

  static final NoBody INSTANCE = new NoBody();

  private NoBody() {}

  @Override
  public OptionalLong lengthBytes() {
    return OptionalLong.of(0);
  }

  @Override
  public Future<Void> begun() {
    return Future.succeededFuture();
  }

  @Override
  public NoBody exceptionHandler(@Nullable Handler<Throwable> handler) {
    return this;
  }

  @Override
  public NoBody handler(@Nullable Handler<Buffer> handler) {
    return this;
  }

  @Override
  public NoBody pause() {
    return this;
  }

  @Override
  public NoBody resume() {
    return this;
  }

  @Override
  public NoBody fetch(long amount) {
    return this;
  }

  @Override
  public NoBody endHandler(@Nullable Handler<Void> endHandler) {
    return this;
  }
}

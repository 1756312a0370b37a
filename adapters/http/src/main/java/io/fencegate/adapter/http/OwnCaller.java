/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.fencegate.adapter.spi.ProxyCaller;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.WriteStream;
import org.jspecify.annotations.Nullable;

/** Takes the answer to a request that the adapter asks itself: its head; the body is dropped. */
final class OwnCaller implements ProxyCaller {

  private MultiMap headers = MultiMap.caseInsensitiveMultiMap();

  MultiMap headers() {
    return headers;
  }

  @Override
  public WriteStream<Buffer> answer(int status, String reason, MultiMap given) {
    headers = given;
    return new Dropped();
  }

  @Override
  public void cutOff() {}

  @Override
  public void onHangUp(Handler<Void> handler) {}

  private static final class Dropped implements WriteStream<Buffer> {

    @Override
    public Future<Void> write(Buffer chunk) {
      return Future.succeededFuture();
    }

    @Override
    public Future<Void> end() {
      return Future.succeededFuture();
    }

    @Override
    public boolean writeQueueFull() {
      return false;
    }

    @Override
    public Dropped setWriteQueueMaxSize(int maxSize) {
      return this;
    }

    @Override
    public Dropped drainHandler(@Nullable Handler<Void> handler) {
      return this;
    }

    @Override
    public Dropped exceptionHandler(@Nullable Handler<Throwable> handler) {
      return this;
    }
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.adapter.spi.ProxyCaller;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.streams.WriteStream;
import io.vertx.ext.web.RoutingContext;

/** The caller of a proxied request, who is given the downstream's answer as it is. */
final class HttpCaller implements ProxyCaller {

  /** Begins an answer with the gateway's own words on it. */
  @FunctionalInterface
  interface Head {
    HttpServerResponse begin(HttpServerResponse response, int status);
  }

  private final RoutingContext context;
  private final RequestGate gate;
  private final Head head;

  HttpCaller(RoutingContext context, RequestGate gate, Head head) {
    this.context = context;
    this.gate = gate;
    this.head = head;
  }

  @Override
  public WriteStream<Buffer> answer(int status, String reason, MultiMap headers) {
    HttpServerResponse response = context.response();
    if (response.closed() || response.headWritten()) {
      return response;
    }
    response.headers().addAll(headers);
    head.begin(response, status).setStatusMessage(reason);
    boolean http2 = context.request().version() == HttpVersion.HTTP_2;
    if (!http2 && !headers.contains(HttpHeaders.CONTENT_LENGTH)) {
      response.setChunked(true);
    }
    if (!http2 && gate.isDraining()) {
      response.putHeader(HttpHeaders.CONNECTION, "close");
    }
    return response;
  }

  @Override
  public void cutOff() {
    context.response().reset();
  }

  @Override
  public void onHangUp(Handler<Void> handler) {
    context.addEndHandler(
        end -> {
          if (end.failed() || !context.response().ended()) {
            handler.handle(null);
          }
        });
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The end of a request that was given up, so that no more of it arrives. Over HTTP/1.1 its
 * connection is reset at once: closing it in the ordinary way would first send whatever is still
 * queued, and a downstream that takes up reading long after the deadline would get more of it.
 *
 * <p>Over HTTP/2 others share the connection. Their own are not put in doubt for one that is merely
 * slow: its stream is reset, and a ping is sent behind that. Once the ping is answered, all that
 * went before has arrived, and nothing of the stream can arrive later (RFC 9113 section 5.1,
 * streams of one connection keep their order on the wire). Without an answer the connection is
 * reset as well. New requests get another connection in either case: until the ping is answered
 * nobody knows whether this one still carries anything.
 */
final class Destruction {

  /** What the answer to a ping may take. */
  static final Duration PING_PATIENCE = Duration.ofSeconds(1);

  /** Longer than any request that is under way on a connection that takes no new ones. */
  private static final Duration RETIREMENT = Duration.ofMinutes(3);

  private static final long CANCEL = 0x8;
  private static final int PING_BYTES = 8;

  private Destruction() {}

  static void of(HttpClientRequest request, Vertx vertx) {
    HttpConnection connection = request.connection();
    if (request.version() == HttpVersion.HTTP_2) {
      request.reset(CANCEL);
      connection.shutdown(RETIREMENT.toMinutes(), TimeUnit.MINUTES);
      long timer = vertx.setTimer(PING_PATIENCE.toMillis(), due -> reset(connection));
      connection
          .ping(Buffer.buffer(new byte[PING_BYTES]))
          .onSuccess(answered -> vertx.cancelTimer(timer))
          .onFailure(broken -> reset(connection));
    } else {
      reset(connection);
    }
  }

  private static void reset(HttpConnection connection) {
    if (connection instanceof ConnectionBase base) {
      Channel channel = base.channel();
      if (channel.eventLoop().inEventLoop()) {
        reset(channel);
      } else {
        channel.eventLoop().execute(() -> reset(channel));
      }
    } else {
      connection.close();
    }
  }

  private static void reset(Channel channel) {
    if (channel.isOpen()) {
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
      channel.unsafe().close(channel.newPromise());
    }
  }
}

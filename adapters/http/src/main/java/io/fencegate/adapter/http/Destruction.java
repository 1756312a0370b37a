/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * The end of a connection at once, with a reset. Closing it in the ordinary way would first send
 * whatever is still queued, and a downstream that takes up reading long after the deadline would
 * get more of a request that was given up.
 */
final class Destruction {

  private Destruction() {}

  static void of(HttpConnection connection) {
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

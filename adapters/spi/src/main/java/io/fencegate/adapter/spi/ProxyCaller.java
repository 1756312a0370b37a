/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.WriteStream;

/** The other end of a proxied request: where the downstream's answer goes. */
public interface ProxyCaller {

  /**
   * Passes the head of the downstream's answer on; once.
   *
   * @param headers without those that must not pass
   * @return where its body goes; writing fails once the caller has gone
   */
  WriteStream<Buffer> answer(int status, String reason, MultiMap headers);

  /** Cuts the answer off, so that the caller sees that it is not whole. Idempotent. */
  void cutOff();

  /** Told when the caller's connection closes before it has its answer. */
  void onHangUp(Handler<Void> handler);
}

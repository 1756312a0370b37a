/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import java.util.OptionalLong;

/**
 * A request's body, not read yet: the caller sends as fast as it is taken. Fails where the caller
 * hangs up or sends more than the policy allows.
 */
public interface ProxiedBody extends ReadStream<Buffer> {

  /** Announced length in bytes, 0 where there is no body; empty where the caller sends chunks. */
  OptionalLong lengthBytes();

  /**
   * Tells a caller that waits for it to go on, and completes when the first bytes are here or the
   * body has ended. They are handed out when the stream is read.
   */
  Future<Void> begun();
}

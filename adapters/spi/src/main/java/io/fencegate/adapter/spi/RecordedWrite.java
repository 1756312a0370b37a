/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.token.FencingToken;
import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an adapter's records say of a key. */
public sealed interface RecordedWrite {

  /**
   * The key's write was applied.
   *
   * @param token null where it was let through in shadow without one
   * @param at the downstream's own time of the write
   */
  record Applied(@Nullable FencingToken token, String fingerprint, String resultsJson, Instant at)
      implements RecordedWrite {}

  /**
   * The key's request was forwarded, and the downstream itself answered it so that it can change
   * nothing any more.
   *
   * @param headers those that are kept, in their order
   * @param body empty where it was too large to be kept
   * @param at the gateway's time of the answer
   */
  record Answered(
      FencingToken token,
      String fingerprint,
      int status,
      List<Map.Entry<String, String>> headers,
      Optional<Buffer> body,
      Instant at)
      implements RecordedWrite {
    public Answered {
      headers = List.copyOf(headers);
    }
  }

  /**
   * The key's write may have been sent, and nobody knows what came of it. Never sent again.
   *
   * @param reason in a few words
   */
  record Unknown(@Nullable FencingToken token, String fingerprint, String reason, Instant at)
      implements RecordedWrite {}

  /** A write with this key is open at this moment. */
  record InFlight() implements RecordedWrite {}

  /** The key's door was closed before any write with it was applied: none ever will be. */
  record Closed(Instant at) implements RecordedWrite {}

  /** Nothing is recorded; proof only after the door was closed. */
  record None() implements RecordedWrite {}
}

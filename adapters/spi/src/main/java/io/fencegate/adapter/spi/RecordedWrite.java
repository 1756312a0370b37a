/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.token.FencingToken;
import java.time.Instant;
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

  /** A write with this key is open at this moment. */
  record InFlight() implements RecordedWrite {}

  /** The key's door was closed before any write with it was applied: none ever will be. */
  record Closed(Instant at) implements RecordedWrite {}

  /** Nothing is recorded; proof only after the door was closed. */
  record None() implements RecordedWrite {}
}

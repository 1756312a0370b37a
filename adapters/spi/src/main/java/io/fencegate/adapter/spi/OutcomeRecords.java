/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.Future;
import java.time.Duration;

/**
 * The outcomes of keyed writes. An adapter keeps them in the very transaction of the write; for one
 * that cannot, the gateway keeps them beside it, and there are {@link RecordedWrite.Unknown} ones.
 * Refused only when the records could not be read by the deadline.
 */
public interface OutcomeRecords {

  /** What is known of the key's write. */
  Future<Ruling<RecordedWrite>> lookUp(KeyScope scope, long deadlineNanos);

  /**
   * Closes the key: whatever is not applied when this answers will never be. Answers what the key
   * came to: applied, closed, or in flight where an open write held the door to the deadline.
   *
   * @param retention how long the closed door is remembered at least
   */
  Future<Ruling<RecordedWrite>> close(KeyScope scope, Duration retention, long deadlineNanos);
}

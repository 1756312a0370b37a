/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.adapter.spi.ApplyOutcome;

/** How one transaction ended. */
sealed interface WriteEnd {

  /** For certain. */
  record Certain(ApplyOutcome outcome) implements WriteEnd {}

  /**
   * COMMIT was sent and not answered by a clear word.
   *
   * @param resultsJson what it came to if it took effect
   */
  record InDoubt(String writeId, String resultsJson, String reason) implements WriteEnd {}
}

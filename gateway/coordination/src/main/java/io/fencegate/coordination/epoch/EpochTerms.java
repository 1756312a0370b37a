/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import java.util.Optional;

/**
 * Where a gateway keeps epochs besides the coordinator.
 *
 * @param ledger empty where the coordinator alone has them
 * @param replaces the note in the coordinator that this gateway may change when it starts, as
 *     {@code coordinator} or {@code postgres <identity>}
 */
public record EpochTerms(Optional<EpochStore> ledger, Optional<String> replaces) {

  /** The coordinator alone. */
  public static final EpochTerms COORDINATOR = new EpochTerms(Optional.empty(), Optional.empty());
}

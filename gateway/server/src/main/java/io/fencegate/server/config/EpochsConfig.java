/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

import io.fencegate.ledger.postgres.LedgerSettings;
import java.util.Optional;

/**
 * Where accepted tokens are recorded.
 *
 * @param ledger besides the coordinator; empty where it alone has them
 * @param replaces what the coordinator's note says before it may be changed
 */
public record EpochsConfig(Optional<LedgerSettings> ledger, Optional<String> replaces) {

  /** In the coordinator alone. */
  public static final EpochsConfig COORDINATOR =
      new EpochsConfig(Optional.empty(), Optional.empty());
}

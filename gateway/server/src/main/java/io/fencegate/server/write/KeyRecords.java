/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.OutcomeRecords;
import io.fencegate.adapter.spi.ProxyAdapter;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.coordination.idempotency.IdempotencyLedger;
import java.util.Optional;

/**
 * Who keeps the outcomes of keyed writes: the adapter itself where it can, else the coordinator.
 */
public final class KeyRecords {

  private final OutcomeRecords ledger;

  KeyRecords(IdempotencyLedger ledger) {
    this.ledger = new LedgerRecords(ledger);
  }

  /** Empty where nobody keeps them. */
  public Optional<OutcomeRecords> of(ResourceAdapter adapter) {
    return adapter.records().or(() -> isLedgered(adapter) ? Optional.of(ledger) : Optional.empty());
  }

  /** Whether the coordinator keeps them. */
  static boolean isLedgered(ResourceAdapter adapter) {
    return adapter instanceof ProxyAdapter && adapter.records().isEmpty();
  }
}

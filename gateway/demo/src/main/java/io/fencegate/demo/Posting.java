/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import java.math.BigDecimal;

/** One line of a settlement file, and one row of the ledger. */
record Posting(String id, String account, String currency, BigDecimal amount) {

  /** Whether both say the same; 1.5 and 1.50 are one amount. */
  boolean sameAs(Posting other) {
    return id.equals(other.id)
        && account.equals(other.account)
        && currency.equals(other.currency)
        && amount.compareTo(other.amount) == 0;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

import static io.fencegate.server.config.ConfigKey.EPOCHS_INSTALL;
import static io.fencegate.server.config.ConfigKey.EPOCHS_REPLACES;
import static io.fencegate.server.config.ConfigKey.EPOCHS_TYPE;
import static io.fencegate.server.config.ConfigKey.EPOCHS_URL;

import io.fencegate.ledger.postgres.LedgerSettings;
import java.util.Optional;
import java.util.Set;

/** The keys about where epochs are kept, which depend on each other. */
final class EpochsValues {

  private static final String COORDINATOR = "coordinator";
  private static final String POSTGRES = "postgres";

  private final ConfigValues values;

  EpochsValues(ConfigValues values) {
    this.values = values;
  }

  EpochsConfig read() {
    Optional<String> replaces = values.optionalText(EPOCHS_REPLACES);
    if (values.word(EPOCHS_TYPE, Set.of(COORDINATOR, POSTGRES)).equals(COORDINATOR)) {
      // Whoever names a database means it to be used.
      values.complainIfGiven(EPOCHS_URL, "no such key with epochs.type coordinator");
      values.complainIfGiven(EPOCHS_INSTALL, "no such key with epochs.type coordinator");
      return new EpochsConfig(Optional.empty(), replaces);
    }
    Optional<String> url = values.databaseUrl(EPOCHS_URL);
    boolean install = values.flag(EPOCHS_INSTALL);
    if (!values.isGiven(EPOCHS_URL)) {
      values.complain(EPOCHS_TYPE, "epochs.url beside type postgres");
    }
    return new EpochsConfig(url.map(it -> new LedgerSettings(it, install)), replaces);
  }
}

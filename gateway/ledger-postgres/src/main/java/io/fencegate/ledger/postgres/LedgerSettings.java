/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.ledger.postgres;

import io.vertx.pgclient.PgConnectOptions;

/**
 * How the ledger is reached.
 *
 * @param url with the password in it, so never shown; {@link #isUrl}
 * @param install whether the schema is created where it is missing
 */
public record LedgerSettings(String url, boolean install) {

  /** What a URL looks like, for messages. */
  public static final String EXPECTED_URL = "postgresql://user:password@host:5432/database";

  public LedgerSettings {
    if (!isUrl(url)) {
      throw new IllegalArgumentException("an unusable url, expected " + EXPECTED_URL);
    }
  }

  /** The driver's exceptions repeat the URL, and with it the password: they are not passed on. */
  public static boolean isUrl(String text) {
    if (!(text.startsWith("postgresql://") || text.startsWith("postgres://"))) {
      return false;
    }
    try {
      PgConnectOptions options = PgConnectOptions.fromUri(text);
      return !options.getHost().isEmpty() && !options.getDatabase().isEmpty();
    } catch (IllegalArgumentException unusable) {
      return false;
    }
  }

  /**
   * The server gives up first, so that a statement that somebody holds up costs no connection, and
   * one that nobody waits for any more ends.
   */
  private static final String LOCK_TIMEOUT_MILLIS = "1500";

  private static final String STATEMENT_TIMEOUT_MILLIS = "5000";

  /** The functions refuse any other isolation level, whatever the role's default is. */
  PgConnectOptions connectOptions() {
    return PgConnectOptions.fromUri(url)
        .setCachePreparedStatements(true)
        .setReconnectAttempts(0)
        .addProperty("application_name", "fencegate-ledger")
        .addProperty("lock_timeout", LOCK_TIMEOUT_MILLIS)
        .addProperty("statement_timeout", STATEMENT_TIMEOUT_MILLIS)
        .addProperty("default_transaction_isolation", "read committed");
  }

  /** Host and port, for people; never user, password or database. */
  public String place() {
    PgConnectOptions options = PgConnectOptions.fromUri(url);
    String host = options.getHost();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + options.getPort();
  }

  @Override
  public String toString() {
    return "LedgerSettings[install " + install + "]";
  }
}

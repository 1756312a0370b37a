/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The ledger: a real PostgreSQL of its own with one table. The table has no unique constraint on
 * purpose: that every posting is there once is the gateway's doing alone.
 */
final class Ledger implements AutoCloseable {

  private static final Duration START_PATIENCE = Duration.ofSeconds(30);
  private static final String TABLE =
      "CREATE TABLE entries ("
          + "posting_id text NOT NULL, region text NOT NULL, account text NOT NULL,"
          + " currency text NOT NULL, amount numeric NOT NULL,"
          + " booked_at timestamptz NOT NULL DEFAULT clock_timestamp())";

  private final EmbeddedPostgres postgres;

  private Ledger(EmbeddedPostgres postgres) {
    this.postgres = postgres;
  }

  /** Starts the database on {@code port} with its files under {@code directory}. */
  static Ledger start(Path directory, int port) throws DemoFailure {
    Path log = directory.resolve("postgres.log");
    try {
      EmbeddedPostgres postgres =
          EmbeddedPostgres.builder()
              .setOverrideWorkingDirectory(directory.resolve("postgres").toFile())
              .setDataDirectory(directory.resolve("postgres-data"))
              .setServerConfig("listen_addresses", "127.0.0.1")
              .setPort(port)
              .setPGStartupWait(START_PATIENCE)
              .setRegisterShutdownHook(false)
              .setOutputRedirector(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .setErrorRedirector(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
      Ledger ledger = new Ledger(postgres);
      ledger.createTable();
      return ledger;
    } catch (IOException | SQLException | RuntimeException e) {
      throw new DemoFailure(
          "PostgreSQL did not start",
          "look at its log below; it needs about 100 MB in the temporary directory"
              + Logs.tail(log),
          e);
    }
  }

  private void createTable() throws SQLException {
    try (Connection connection = postgres.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(TABLE);
    }
  }

  int port() {
    return postgres.getPort();
  }

  /** For the gateway's environment; holds a password, if only this one. */
  String url() {
    return "postgresql://postgres:postgres@127.0.0.1:" + port() + "/postgres";
  }

  /** What is booked for a region, in the order of booking. */
  List<Posting> entries(String region) throws DemoFailure {
    List<Posting> entries = new ArrayList<>();
    String sql =
        "SELECT posting_id, account, currency, amount FROM entries WHERE region = ?"
            + " ORDER BY booked_at";
    try (Connection connection = postgres.getPostgresDatabase().getConnection();
        PreparedStatement select = connection.prepareStatement(sql)) {
      select.setString(1, region);
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          entries.add(
              new Posting(
                  rows.getString(1), rows.getString(2), rows.getString(3), rows.getBigDecimal(4)));
        }
      }
    } catch (SQLException e) {
      throw new DemoFailure("The ledger could not be read", "run the demo again", e);
    }
    return entries;
  }

  @Override
  public void close() throws IOException {
    postgres.close();
  }
}

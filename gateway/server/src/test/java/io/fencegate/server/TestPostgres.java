/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A real PostgreSQL server for one test class. */
public final class TestPostgres implements AutoCloseable {

  private final EmbeddedPostgres postgres;

  private TestPostgres(EmbeddedPostgres postgres) {
    this.postgres = postgres;
  }

  public static TestPostgres start() throws IOException {
    return new TestPostgres(
        EmbeddedPostgres.builder()
            .setServerConfig("max_connections", "120")
            .setServerConfig("deadlock_timeout", "200ms")
            .start());
  }

  public String url() {
    return "postgresql://postgres:postgres@127.0.0.1:" + postgres.getPort() + "/postgres";
  }

  public Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + postgres.getPort() + "/postgres", "postgres", "postgres");
  }

  public void run(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** All rows, columns joined by a blank. */
  public List<String> rows(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<String> rows = new ArrayList<>();
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= columns; i++) {
          row.append(i == 1 ? "" : " ").append(result.getString(i));
        }
        rows.add(row.toString());
      }
      return rows;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  @Override
  public void close() throws IOException {
    postgres.close();
  }
}

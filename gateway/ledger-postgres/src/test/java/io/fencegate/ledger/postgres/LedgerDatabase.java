/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.ledger.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** A database of its own for each test, on a real server that all test classes share. */
final class LedgerDatabase {

  private static final AtomicInteger NEXT = new AtomicInteger();

  private final int port;
  private final String name;

  private LedgerDatabase(int port, String name) {
    this.port = port;
    this.name = name;
  }

  /** Gives each test that asks for one its database. */
  static final class Fresh implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType().equals(LedgerDatabase.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return create(context);
    }
  }

  /** Ends with the JVM's tests. */
  private record Server(EmbeddedPostgres postgres) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      postgres.close();
    }
  }

  private static LedgerDatabase create(ExtensionContext context) {
    Server server =
        (Server)
            context
                .getRoot()
                .getStore(ExtensionContext.Namespace.GLOBAL)
                .getOrComputeIfAbsent("postgres", key -> new Server(start()));
    LedgerDatabase database =
        new LedgerDatabase(server.postgres().getPort(), "l" + NEXT.incrementAndGet());
    new LedgerDatabase(server.postgres().getPort(), "postgres")
        .run("CREATE DATABASE " + database.name);
    return database;
  }

  private static EmbeddedPostgres start() {
    try {
      return EmbeddedPostgres.builder().setServerConfig("max_connections", "80").start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return port;
  }

  String name() {
    return name;
  }

  LedgerSettings settings() {
    return settings(port);
  }

  LedgerSettings settings(int atPort) {
    return new LedgerSettings(url("postgres", "postgres", atPort), true);
  }

  String url(String user, String password, int atPort) {
    return "postgresql://" + user + ":" + password + "@127.0.0.1:" + atPort + "/" + name;
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + port + "/" + name, "postgres", "postgres");
  }

  void run(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** The first column of all rows, as text. */
  List<String> column(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> values = new ArrayList<>();
      while (rows.next()) {
        values.add(String.valueOf(rows.getString(1)));
      }
      return values;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** "epoch source confirmed" of a resource, as an administrator sees it. */
  List<String> kept(String resource) {
    return column(
        "SELECT concat_ws(' ', epoch, source, confirmed) FROM fencegate_ledger.epochs"
            + " WHERE resource = '"
            + resource
            + "'");
  }
}

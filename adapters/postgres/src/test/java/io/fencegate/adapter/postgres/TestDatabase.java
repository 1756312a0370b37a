/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.adapter.spi.OperationCall;
import io.fencegate.adapter.spi.ParamValue;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.adapter.tck.LogEntry;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.Operation;
import io.fencegate.policy.name.AdapterName;
import io.fencegate.policy.name.OperationName;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A database of its own on a real server that all test classes share. Its table {@code entries} is
 * a log whose order is that of the commits.
 */
final class TestDatabase {

  static final String USER = "postgres";
  static final String PASSWORD = "postgres";

  private static final AtomicInteger NEXT = new AtomicInteger();

  private final int port;
  private final String name;

  private TestDatabase(int port, String name) {
    this.port = port;
    this.name = name;
  }

  /** Ends with the JVM's tests. */
  private record Server(EmbeddedPostgres postgres) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      postgres.close();
    }
  }

  static TestDatabase create(ExtensionContext context) {
    Server server =
        (Server)
            context
                .getRoot()
                .getStore(ExtensionContext.Namespace.GLOBAL)
                .getOrComputeIfAbsent("postgres", key -> new Server(start()));
    TestDatabase database =
        new TestDatabase(server.postgres().getPort(), "t" + NEXT.incrementAndGet());
    new TestDatabase(server.postgres().getPort(), "postgres")
        .run("CREATE DATABASE " + database.name);
    database.run(
        "CREATE TABLE entries (id bigserial, resource text, token bigint, value text,"
            + " CONSTRAINT no_fail CHECK (value NOT LIKE 'fail%'))");
    return database;
  }

  private static EmbeddedPostgres start() {
    try {
      return EmbeddedPostgres.builder()
          .setServerConfig("track_commit_timestamp", "on")
          .setServerConfig("max_connections", "60")
          .setServerConfig("deadlock_timeout", "200ms")
          .start();
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

  String url(int port) {
    return url(USER, PASSWORD, port);
  }

  String url(String user, String password, int port) {
    return "postgresql://" + user + ":" + password + "@127.0.0.1:" + port + "/" + name;
  }

  PostgresSettings settings() {
    return settings(Map.of());
  }

  PostgresSettings settings(Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(more);
    settings.putIfAbsent("url", url(port));
    return PostgresSettings.of(
        new AdapterConfig(new AdapterName("db"), "postgres", Map.copyOf(settings)));
  }

  Connection connect() throws SQLException {
    return connect(USER, PASSWORD);
  }

  Connection connect(String user, String password) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + port + "/" + name, user, password);
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
        values.add(rows.getString(1));
      }
      return values;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** What was appended, in the order of the commits. */
  List<LogEntry> log(ResourceName resource) {
    try (Connection connection = connect();
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT value, token FROM entries WHERE resource = ?"
                    + " ORDER BY pg_xact_commit_timestamp(xmin), id")) {
      statement.setString(1, resource.value());
      List<LogEntry> log = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          log.add(new LogEntry(rows.getString(1), new FencingToken(rows.getLong(2))));
        }
      }
      return log;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  static WriteContent append(ResourceName resource, FencingToken token, String value) {
    return new WriteContent(Map.of("resource", resource.value()), List.of(call(token, value)));
  }

  /** Appends, then violates a constraint in a second call. */
  static WriteContent appendAndFail(ResourceName resource, FencingToken token, String value) {
    return new WriteContent(
        Map.of("resource", resource.value()), List.of(call(token, value), call(token, "fail")));
  }

  /** Appends and then sleeps inside of the transaction. */
  static WriteContent appendSlowly(
      ResourceName resource, FencingToken token, String value, String seconds) {
    OperationCall sleep =
        operation("sleep", "SELECT pg_sleep(:seconds)", Map.of("seconds", "numeric"))
            .with(Map.of("seconds", new ParamValue.Num(seconds)));
    return new WriteContent(
        Map.of("resource", resource.value()), List.of(call(token, value), sleep));
  }

  private static OperationCall call(FencingToken token, String value) {
    Map<String, String> types = new LinkedHashMap<>();
    types.put("token", "bigint");
    types.put("value", "text");
    Map<String, ParamValue> params = new LinkedHashMap<>();
    params.put("token", new ParamValue.Num(token.toString()));
    params.put("value", new ParamValue.Text(value));
    return operation(
            "append",
            "INSERT INTO entries (resource, token, value) VALUES (:resource, :token, :value)"
                + " RETURNING id",
            types)
        .with(params);
  }

  /** An operation that waits for its parameters. */
  record Template(Operation operation) {
    OperationCall with(Map<String, ParamValue> params) {
      return new OperationCall(operation, params, "params");
    }
  }

  static Template operation(String name, String sql, Map<String, String> types) {
    return new Template(new Operation(new OperationName(name), sql, types, 0));
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Value;
import io.fencegate.coordination.store.WatchEvent;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Creates the tables, and reads them when a file is opened. */
final class SqliteSchema {

  static final String CHANGED = "changed";
  static final String DELETED = "deleted";

  /** Raised with every change of the tables. */
  private static final int VERSION = 2;

  /** Before version 2 a file had no id; it gets one when it is opened. */
  private static final int VERSION_WITHOUT_ID = 1;

  private static final String CREATE_ID =
      "INSERT INTO meta VALUES ('cluster_id', random() & 9223372036854775807)";

  private static final String SET_VERSION = "PRAGMA user_version = " + VERSION;

  /** The first write gets revision 2, as in a fresh etcd. */
  private static final long FRESH_REVISION = 1;

  private static final List<String> TABLES =
      List.of(
          """
          CREATE TABLE meta (
            name TEXT PRIMARY KEY,
            value INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID
          """,
          """
          CREATE TABLE lease (
            id INTEGER PRIMARY KEY,
            ttl_seconds INTEGER NOT NULL
          ) STRICT
          """,
          """
          CREATE TABLE kv (
            key TEXT PRIMARY KEY,
            value BLOB NOT NULL,
            create_revision INTEGER NOT NULL,
            mod_revision INTEGER NOT NULL,
            lease INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID
          """,
          """
          CREATE TABLE history (
            revision INTEGER NOT NULL,
            key TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('changed', 'deleted')),
            value BLOB,
            create_revision INTEGER,
            lease INTEGER,
            PRIMARY KEY (revision, key)
          ) STRICT, WITHOUT ROWID
          """,
          "INSERT INTO meta VALUES ('revision', " + FRESH_REVISION + "), ('last_lease', 0)",
          CREATE_ID,
          SET_VERSION);

  private SqliteSchema() {}

  /** Creates the tables in a new file; refuses one of another version, or a damaged one. */
  static void ensure(Connection connection, Path file) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      String mode = text(statement, "PRAGMA journal_mode");
      if (!mode.equalsIgnoreCase("wal")) {
        throw new EmbeddedStoreException(
            file + " has journal mode " + mode + ", expected wal: is it on a local file system?");
      }
      String check = text(statement, "PRAGMA quick_check(1)");
      if (!check.equals("ok")) {
        throw new EmbeddedStoreException(file + " is damaged: " + check);
      }
      long version = number(statement, "PRAGMA user_version");
      if (version == 0 && number(statement, "SELECT count(*) FROM sqlite_schema") == 0) {
        together(statement, TABLES);
      } else if (version == VERSION_WITHOUT_ID) {
        together(statement, List.of(CREATE_ID, SET_VERSION));
      } else if (version != VERSION) {
        throw new EmbeddedStoreException(
            file + " has schema version " + version + ", expected " + VERSION);
      }
    }
  }

  private static void together(Statement statement, List<String> sqls) throws SQLException {
    statement.execute("BEGIN IMMEDIATE");
    for (String sql : sqls) {
      statement.execute(sql);
    }
    statement.execute("COMMIT");
  }

  static StoredState load(Connection connection, Path file) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      StoredState stored =
          new StoredState(
              number(statement, "SELECT value FROM meta WHERE name = 'revision'"),
              number(statement, "SELECT value FROM meta WHERE name = 'last_lease'"),
              number(statement, "SELECT value FROM meta WHERE name = 'cluster_id'"),
              leases(statement),
              entries(statement),
              history(statement));
      requireSound(stored, file);
      return stored;
    }
  }

  /** A file that contradicts itself was written by somebody else: nothing in it can be trusted. */
  private static void requireSound(StoredState stored, Path file) {
    Set<Long> leases = new HashSet<>(Set.of(LeaseHandle.NONE.id()));
    stored.leases().forEach(lease -> leases.add(lease.id()));
    for (Entry entry : stored.entries()) {
      if (entry.modRevision() > stored.revision()
          || entry.createRevision() > entry.modRevision()
          || !leases.contains(entry.lease().id())) {
        throw new EmbeddedStoreException(
            file + " contradicts itself at key " + entry.key() + ": was it edited?");
      }
    }
    long expected = stored.revision() - stored.history().size() + 1;
    for (Revision revision : stored.history()) {
      if (revision.number() != expected++) {
        throw new EmbeddedStoreException(
            file + " has a gap in its history before revision " + revision.number());
      }
    }
  }

  private static List<StoredState.StoredLease> leases(Statement statement) throws SQLException {
    List<StoredState.StoredLease> leases = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery("SELECT id, ttl_seconds FROM lease")) {
      while (rows.next()) {
        leases.add(new StoredState.StoredLease(rows.getLong(1), rows.getLong(2)));
      }
    }
    return leases;
  }

  private static List<Entry> entries(Statement statement) throws SQLException {
    List<Entry> entries = new ArrayList<>();
    String sql = "SELECT key, value, create_revision, mod_revision, lease FROM kv";
    try (ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        entries.add(
            new Entry(
                new Key(rows.getString(1)),
                Value.of(rows.getBytes(2)),
                rows.getLong(3),
                rows.getLong(4),
                new LeaseHandle(rows.getLong(5))));
      }
    }
    return entries;
  }

  private static List<Revision> history(Statement statement) throws SQLException {
    List<Revision> history = new ArrayList<>();
    List<WatchEvent> events = new ArrayList<>();
    String sql =
        "SELECT key, value, create_revision, revision, lease, kind FROM history"
            + " ORDER BY revision, key";
    try (ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        WatchEvent event = event(rows);
        if (!events.isEmpty() && events.get(0).revision() != event.revision()) {
          history.add(new Revision(events.get(0).revision(), events));
          events.clear();
        }
        events.add(event);
      }
    }
    if (!events.isEmpty()) {
      history.add(new Revision(events.get(0).revision(), events));
    }
    return history;
  }

  private static WatchEvent event(ResultSet row) throws SQLException {
    Key key = new Key(row.getString(1));
    if (row.getString(6).equals(DELETED)) {
      return new WatchEvent.Deleted(key, row.getLong(4));
    }
    return new WatchEvent.Changed(
        new Entry(
            key,
            Value.of(row.getBytes(2)),
            row.getLong(3),
            row.getLong(4),
            new LeaseHandle(row.getLong(5))));
  }

  private static String text(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? rows.getString(1) : "";
    }
  }

  private static long number(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      if (!rows.next()) {
        throw new SQLException("no row for " + sql);
      }
      return rows.getLong(1);
    }
  }
}

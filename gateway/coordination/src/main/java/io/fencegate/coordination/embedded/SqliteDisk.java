/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.embedded.DiskException.Effect;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.WatchEvent;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * The database file. A write-ahead log with {@code synchronous=FULL}: a transaction that was
 * committed is on the disk, and one that was not leaves no trace.
 */
final class SqliteDisk implements Disk {

  static final String FILE = "store.db";

  private final Connection connection;
  private final Statement plain;
  private final PreparedStatement putEntry;
  private final PreparedStatement deleteEntry;
  private final PreparedStatement addHistory;
  private final PreparedStatement compactHistory;
  private final PreparedStatement addLease;
  private final PreparedStatement deleteLease;
  private final PreparedStatement setMeta;
  private long writtenCompaction;

  private SqliteDisk(Connection connection) throws SQLException {
    this.connection = connection;
    plain = connection.createStatement();
    putEntry = connection.prepareStatement("INSERT OR REPLACE INTO kv VALUES (?, ?, ?, ?, ?)");
    deleteEntry = connection.prepareStatement("DELETE FROM kv WHERE key = ?");
    addHistory = connection.prepareStatement("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?)");
    compactHistory = connection.prepareStatement("DELETE FROM history WHERE revision <= ?");
    addLease = connection.prepareStatement("INSERT INTO lease VALUES (?, ?)");
    deleteLease = connection.prepareStatement("DELETE FROM lease WHERE id = ?");
    setMeta = connection.prepareStatement("UPDATE meta SET value = ? WHERE name = ?");
  }

  /** Opens the file in {@code dataDir}, or creates it; a file it cannot trust is refused. */
  static Opened open(Path dataDir, int busyMillis) {
    Path file = dataDir.resolve(FILE);
    SQLiteConfig config = new SQLiteConfig();
    config.setBusyTimeout(busyMillis);
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
    try {
      Connection connection = config.createConnection("jdbc:sqlite:" + file);
      try {
        SqliteSchema.ensure(connection, file);
        StoredState stored = SqliteSchema.load(connection, file);
        return new Opened(new SqliteDisk(connection), stored);
      } catch (SQLException | RuntimeException e) {
        connection.close();
        throw e;
      }
    } catch (SQLException e) {
      throw new EmbeddedStoreException("cannot open " + file + ": " + e.getMessage(), e);
    }
  }

  /** An open file with what was found in it. */
  record Opened(SqliteDisk disk, StoredState stored) {}

  @Override
  public void write(Changes changes, long compactedRevision) throws DiskException {
    try {
      plain.execute("BEGIN IMMEDIATE");
    } catch (SQLException e) {
      throw new DiskException(Effect.NONE, "cannot begin: " + e.getMessage(), e);
    }
    try {
      writeAll(changes, compactedRevision);
    } catch (SQLException e) {
      throw rolledBack(e);
    }
    try {
      plain.execute("COMMIT");
    } catch (SQLException e) {
      throw isFull(e) ? rolledBack(e) : commitInDoubt(e);
    }
    writtenCompaction = compactedRevision;
  }

  /**
   * No room for the whole transaction: its last page, which alone makes it one, is not in the log.
   */
  private static boolean isFull(SQLException cause) {
    return cause instanceof SQLiteException sqlite
        && sqlite.getResultCode() == SQLiteErrorCode.SQLITE_FULL;
  }

  /** After a failed fsync, say, the transaction may be in the log or not, now or after a crash. */
  private static DiskException commitInDoubt(SQLException cause) {
    return new DiskException(Effect.UNKNOWN, "cannot commit: " + cause.getMessage(), cause);
  }

  private DiskException rolledBack(SQLException cause) {
    try {
      plain.execute("ROLLBACK");
    } catch (SQLException e) {
      // Some errors end the transaction by themselves.
      if (!String.valueOf(e.getMessage()).contains("no transaction is active")) {
        cause.addSuppressed(e);
        return new DiskException(Effect.UNKNOWN, "cannot roll back: " + e.getMessage(), cause);
      }
    }
    return new DiskException(
        isFull(cause) ? Effect.NO_SPACE : Effect.NONE,
        "cannot write: " + cause.getMessage(),
        cause);
  }

  private void writeAll(Changes changes, long compactedRevision) throws SQLException {
    for (Lease lease : changes.granted()) {
      addLease.setLong(1, lease.handle().id());
      addLease.setLong(2, lease.ttlSeconds());
      addLease.executeUpdate();
      meta("last_lease", lease.handle().id());
    }
    for (Revision revision : changes.revisions()) {
      for (WatchEvent event : revision.events()) {
        if (event instanceof WatchEvent.Changed changed) {
          put(changed.entry());
        } else {
          delete(event);
        }
      }
      meta("revision", revision.number());
    }
    for (LeaseHandle lease : changes.ended()) {
      deleteLease.setLong(1, lease.id());
      deleteLease.executeUpdate();
    }
    if (compactedRevision > writtenCompaction) {
      compactHistory.setLong(1, compactedRevision);
      compactHistory.executeUpdate();
    }
  }

  private void put(Entry entry) throws SQLException {
    byte[] value = entry.value().toBytes();
    putEntry.setString(1, entry.key().path());
    putEntry.setBytes(2, value);
    putEntry.setLong(3, entry.createRevision());
    putEntry.setLong(4, entry.modRevision());
    putEntry.setLong(5, entry.lease().id());
    putEntry.executeUpdate();
    addHistory.setLong(1, entry.modRevision());
    addHistory.setString(2, entry.key().path());
    addHistory.setString(3, SqliteSchema.CHANGED);
    addHistory.setBytes(4, value);
    addHistory.setLong(5, entry.createRevision());
    addHistory.setLong(6, entry.lease().id());
    addHistory.executeUpdate();
  }

  private void delete(WatchEvent event) throws SQLException {
    deleteEntry.setString(1, event.key().path());
    deleteEntry.executeUpdate();
    addHistory.setLong(1, event.revision());
    addHistory.setString(2, event.key().path());
    addHistory.setString(3, SqliteSchema.DELETED);
    addHistory.setNull(4, Types.BLOB);
    addHistory.setNull(5, Types.INTEGER);
    addHistory.setNull(6, Types.INTEGER);
    addHistory.executeUpdate();
  }

  private void meta(String name, long value) throws SQLException {
    setMeta.setLong(1, value);
    setMeta.setString(2, name);
    setMeta.executeUpdate();
  }

  @Override
  public void close() throws DiskException {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new DiskException(Effect.UNKNOWN, "cannot close: " + e.getMessage(), e);
    }
  }
}

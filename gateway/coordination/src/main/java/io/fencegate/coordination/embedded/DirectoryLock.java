/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * The exclusive lock on a data directory, which ends with the process however that ends.
 *
 * <p>It is taken through SQLite and not through a file channel: record locks belong to the process,
 * so a second channel on the same file, when it is closed after it was refused, would silently drop
 * the lock that the first one holds. SQLite keeps book of that.
 */
final class DirectoryLock implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(DirectoryLock.class);

  static final String FILE = "store.lock";

  private final Connection holder;

  private DirectoryLock(Connection holder) {
    this.holder = holder;
  }

  /** Takes the lock, or throws {@link EmbeddedStoreException} at once if somebody else has it. */
  static DirectoryLock take(Path dataDir) {
    SQLiteConfig config = new SQLiteConfig();
    config.setBusyTimeout(0);
    try {
      Connection connection = config.createConnection("jdbc:sqlite:" + dataDir.resolve(FILE));
      try (Statement statement = connection.createStatement()) {
        statement.execute("BEGIN EXCLUSIVE");
      } catch (SQLException e) {
        connection.close();
        throw e;
      }
      return new DirectoryLock(connection);
    } catch (SQLiteException e) {
      if (e.getResultCode() == SQLiteErrorCode.SQLITE_BUSY) {
        throw new EmbeddedStoreException(
            "data directory " + dataDir + " is in use by another gateway, which holds " + FILE, e);
      }
      throw failed(dataDir, e);
    } catch (SQLException e) {
      throw failed(dataDir, e);
    }
  }

  private static EmbeddedStoreException failed(Path dataDir, SQLException e) {
    return new EmbeddedStoreException(
        "cannot lock data directory " + dataDir + ": " + e.getMessage(), e);
  }

  @Override
  public void close() {
    try {
      holder.close();
    } catch (SQLException e) {
      LOG.warn("The data directory's lock was not released, it ends with the process", e);
    }
  }
}

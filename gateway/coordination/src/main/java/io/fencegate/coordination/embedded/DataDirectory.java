/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/** Prepares the directory: values may hold secrets, so its files are for the owner only. */
final class DataDirectory {

  private DataDirectory() {}

  /** Creates what is missing. SQLite gives its companion files the permissions of the first. */
  static void prepare(Path dataDir) {
    try {
      Files.createDirectories(dataDir);
      createForOwner(dataDir.resolve(DirectoryLock.FILE));
      createForOwner(dataDir.resolve(SqliteDisk.FILE));
      try (FileChannel directory = FileChannel.open(dataDir, StandardOpenOption.READ)) {
        directory.force(true);
      }
    } catch (IOException e) {
      throw new EmbeddedStoreException("cannot prepare data directory " + dataDir + ": " + e, e);
    }
  }

  private static void createForOwner(Path file) throws IOException {
    try {
      if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
        Files.createFile(
            file,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      } else {
        Files.createFile(file);
      }
    } catch (FileAlreadyExistsException e) {
      // Created by an earlier start, or just now by another one: the lock decides between the two.
      return;
    }
  }
}

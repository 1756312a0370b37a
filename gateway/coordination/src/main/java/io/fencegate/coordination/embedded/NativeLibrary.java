/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where SQLite's driver unpacks its library: a folder of the data directory and not the shared
 * temporary one, where every start of every gateway would leave a copy behind. Once it is loaded
 * the file is not needed any more.
 */
final class NativeLibrary {

  static final String FOLDER = "lib";

  /** The driver's own setting; it reads it once, before its first connection. */
  private static final String SETTING = "org.sqlite.tmpdir";

  private static final Logger LOG = LoggerFactory.getLogger(NativeLibrary.class);

  private NativeLibrary() {}

  static void unpackInto(Path dataDir) {
    Path folder = dataDir.resolve(FOLDER);
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new EmbeddedStoreException("cannot create " + folder + ": " + e, e);
    }
    System.setProperty(SETTING, folder.toAbsolutePath().toString());
  }

  /** Removes what this and earlier starts unpacked; harmless to the one that is loaded. */
  static void cleanUp(Path dataDir) {
    try (Stream<Path> files = Files.list(dataDir.resolve(FOLDER))) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      LOG.warn("SQLite's unpacked library could not be removed", e);
    }
  }
}

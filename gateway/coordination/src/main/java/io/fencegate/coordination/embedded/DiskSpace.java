/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.store.StoreHealth;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** How much room the store's directory takes, and how much there is. */
record DiskSpace(Path dataDir) {

  /** Looks at the disk, so not for an event loop; a disk that does not tell has no known limit. */
  StoreHealth.Space now(boolean exhausted) {
    try {
      long used = used();
      long free = Files.getFileStore(dataDir).getUsableSpace();
      return new StoreHealth.Space(used, OptionalLong.of(used + free), exhausted);
    } catch (IOException | UncheckedIOException e) {
      return new StoreHealth.Space(0, OptionalLong.empty(), exhausted);
    }
  }

  private long used() throws IOException {
    try (Stream<Path> files = Files.list(dataDir)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(SqliteDisk.FILE))
          .mapToLong(DiskSpace::size)
          .sum();
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Directories that live as long as the lab. */
final class Directories {

  private Directories() {}

  static Path temporary() {
    try {
      return Files.createTempDirectory("fencegate-lab-");
    } catch (IOException e) {
      throw new LabException("cannot make a temporary directory", e);
    }
  }

  /** Deletes a file or a directory with all that is in it; nothing happens where it is absent. */
  static void delete(@Nullable Path path) {
    if (path == null || !Files.exists(path)) {
      return;
    }
    try (Stream<Path> walk = Files.walk(path)) {
      List<Path> deepestFirst = walk.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new LabException("cannot delete " + path, e);
    }
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.fencegate.policy.file.SourceFile;
import io.fencegate.server.config.ConfigKey;
import io.fencegate.server.config.ConfigLoad;
import io.fencegate.server.config.ConfigLoader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Reads the server file from disk. Blocks. */
final class ConfigReading {

  private ConfigReading() {}

  static ConfigLoad read(Path file, Surroundings surroundings, Map<ConfigKey, String> flags) {
    Path base = file.toAbsolutePath().normalize().getParent();
    try {
      return ConfigLoader.load(
          new ConfigLoader.Sources(
              new SourceFile(file.toString(), Files.readString(file)),
              base == null ? file.toAbsolutePath() : base,
              surroundings.values(),
              surroundings.environment(),
              flags));
    } catch (IOException e) {
      return new ConfigLoad.Broken(
          List.of(file + ": " + reason(file, e) + " was given, expected a readable server file"));
    }
  }

  /** What a path that could not be read is, for "... was given, expected ...". */
  static String reason(Path path, IOException e) {
    if (e instanceof NoSuchFileException) {
      return "a file that does not exist";
    }
    if (Files.isDirectory(path)) {
      return "a directory";
    }
    if (e instanceof CharacterCodingException) {
      return "a file that is not UTF-8 text";
    }
    return "a file that cannot be read (" + e.getMessage() + ")";
  }
}

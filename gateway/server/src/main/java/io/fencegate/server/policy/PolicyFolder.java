/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.policy;

import io.fencegate.policy.file.SourceFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The folder that policies are read from: its {@code *.yaml} and {@code *.yml} files. Blocks. */
public final class PolicyFolder {

  private final Path folder;

  public PolicyFolder(Path folder) {
    this.folder = folder;
  }

  /**
   * The files in the order of their names.
   *
   * @throws IOException when the folder or a file cannot be read
   */
  public List<SourceFile> read() throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.filter(PolicyFolder::isPolicyFile).sorted().map(PolicyFolder::read).toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Changes whenever a file was added, removed or written. */
  String fingerprint() {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> entries = Files.list(folder)) {
      for (Path file : entries.filter(PolicyFolder::isPolicyFile).sorted().toList()) {
        all.append(file.getFileName())
            .append(' ')
            .append(Files.size(file))
            .append(' ')
            .append(Files.getLastModifiedTime(file))
            .append('\n');
      }
    } catch (IOException | UncheckedIOException e) {
      return "unreadable";
    }
    return all.toString();
  }

  private static boolean isPolicyFile(Path file) {
    String name = file.getFileName().toString();
    return (name.endsWith(".yaml") || name.endsWith(".yml")) && Files.isRegularFile(file);
  }

  private static SourceFile read(Path file) {
    try {
      return new SourceFile(file.toString(), Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be read as UTF-8 text", e);
    }
  }

  @Override
  public String toString() {
    return folder.toString();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The surroundings of a gateway for trying things out: a temporary directory that goes away with
 * it. A lasting one would surprise: the memory adapter forgets its epochs with the process, and a
 * coordinator that remembers them would rightly refuse every write.
 */
final class DevSetup {

  static final List<String> LOOPBACK = List.of("127.0.0.1", "::1", "localhost");

  private static final String POLICY = "/io/fencegate/server/cli/dev-policy.yaml";
  private static final String LINES = "/io/fencegate/server/cli/dev-lines.txt";

  private final Path directory;

  private DevSetup(Path directory) {
    this.directory = directory;
  }

  static DevSetup create() throws IOException {
    Path directory = Files.createTempDirectory("fencegate-dev-");
    Files.createDirectory(directory.resolve("policies"));
    Files.writeString(directory.resolve("policies").resolve("demo.yaml"), resource(POLICY));
    return new DevSetup(directory);
  }

  Path directory() {
    return directory;
  }

  /** What to paste into a shell. */
  static String lines(String workerUrl) {
    return resource(LINES).replace("@WORKER@", workerUrl);
  }

  private static String resource(String name) {
    try (InputStream in = DevSetup.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is missing in the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes the directory as far as that is possible. */
  void delete() {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.println("left behind: " + directory);
    }
  }
}

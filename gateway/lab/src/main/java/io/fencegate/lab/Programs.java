/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.lab;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs short programs to their end. */
final class Programs {

  private static final long PATIENCE_SECONDS = 30;

  private Programs() {}

  /** The full path of an installed program. */
  static Path installed(String name) {
    String path = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
    for (String directory : path.split(File.pathSeparator, -1)) {
      Path candidate = Path.of(directory.isEmpty() ? "." : directory, name);
      if (Files.isExecutable(candidate)) {
        return candidate;
      }
    }
    throw new LabException(
        name
            + " is not installed: run deploy/test, which installs it, or install the packages"
            + " etcd-server and etcd-client (Debian, Ubuntu)");
  }

  /** What a program prints; fails with all of it when its exit code is not 0. */
  static String run(List<String> command, Map<String, String> environment) {
    Path output = null;
    try {
      output = Files.createTempFile("fencegate-lab-", ".out");
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.redirectOutput(output.toFile());
      builder.environment().putAll(environment);
      Process process = builder.start();
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new LabException(name(command) + " did not end in " + PATIENCE_SECONDS + " s");
      }
      String printed = Files.readString(output, StandardCharsets.UTF_8);
      if (process.exitValue() != 0) {
        throw new LabException(
            name(command) + " ended with " + process.exitValue() + ": " + printed.strip());
      }
      return printed;
    } catch (IOException e) {
      throw new LabException("cannot run " + name(command), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted while running " + name(command), e);
    } finally {
      Directories.delete(output);
    }
  }

  /** The program only: its arguments may hold passwords. */
  private static String name(List<String> command) {
    return command.get(0);
  }
}

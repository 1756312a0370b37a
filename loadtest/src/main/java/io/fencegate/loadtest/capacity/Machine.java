/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the figures were taken on. */
final class Machine {

  private Machine() {}

  static String cpu() {
    try {
      return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException e) {
      return System.getProperty("os.arch");
    }
  }
}

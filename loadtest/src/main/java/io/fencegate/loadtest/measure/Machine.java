/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the figures were taken on. */
public final class Machine {

  private Machine() {}

  /** Processors, system and Java. */
  public static void putInto(ObjectNode json) {
    json.put("cpu", cpu())
        .put("processors", Runtime.getRuntime().availableProcessors())
        .put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"))
        .put("java", Runtime.version().toString());
  }

  private static String cpu() {
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

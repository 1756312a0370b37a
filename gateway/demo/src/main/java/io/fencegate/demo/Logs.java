/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The ends of log files, for messages about failures. */
final class Logs {

  private static final int TAIL_LINES = 25;

  private Logs() {}

  static String tail(Path log) {
    StringBuilder text = new StringBuilder(System.lineSeparator());
    text.append("  The end of ").append(log.getFileName()).append(':');
    try {
      List<String> lines =
          Files.exists(log)
              ? new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList()
              : List.of();
      if (lines.isEmpty()) {
        text.append(" (it is empty)");
      }
      lines
          .subList(Math.max(0, lines.size() - TAIL_LINES), lines.size())
          .forEach(line -> text.append(System.lineSeparator()).append("  | ").append(line));
    } catch (IOException e) {
      text.append(" (").append(e.getMessage()).append(')');
    }
    return text.toString();
  }
}

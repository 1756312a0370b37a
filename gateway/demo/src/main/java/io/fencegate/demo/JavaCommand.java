/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** How another Java process is started: the same runtime, small. */
final class JavaCommand {

  /** From this release on the JVM warns about what Netty does unless it is told to allow it. */
  private static final int WARNS_ABOUT_UNSAFE = 23;

  private JavaCommand() {}

  static List<String> of(Path jar, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("--enable-native-access=ALL-UNNAMED");
    if (Runtime.version().feature() >= WARNS_ABOUT_UNSAFE) {
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.addAll(List.of("-jar", jar.toString()));
    command.addAll(Arrays.asList(arguments));
    return command;
  }
}

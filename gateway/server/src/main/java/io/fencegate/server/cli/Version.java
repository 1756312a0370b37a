/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import picocli.CommandLine;

/** Says which build this is, from the jar's manifest. */
final class Version implements CommandLine.IVersionProvider {

  static String text() {
    String version = Version.class.getPackage().getImplementationVersion();
    return "fencegate " + (version == null ? "(development build)" : version);
  }

  @Override
  public String[] getVersion() {
    return new String[] {
      text(), "Java " + System.getProperty("java.version") + " (${java.vm.name})"
    };
  }
}

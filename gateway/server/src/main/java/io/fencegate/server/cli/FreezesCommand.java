/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import java.net.URI;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists what is frozen. */
@Command(
    name = "freezes",
    description = "Lists the freezes of writes that are in force, with their ids and reasons.",
    footerHeading = "%nExamples:%n",
    footer = "  fencegate freezes --json")
final class FreezesCommand extends OperatorCommand {

  @Option(names = "--local", description = "only those of the gateway that is asked")
  private boolean local;

  FreezesCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  int run(URI operator) {
    return report(
        new RemoteCalls(operator).get("/admin/v1/freezes" + (local ? "?local=true" : "")));
  }

  @Override
  String adviceInDoubt() {
    return "repeat the command: it only reads";
  }
}

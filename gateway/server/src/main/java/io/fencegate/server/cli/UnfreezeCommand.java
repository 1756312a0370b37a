/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.vertx.core.json.JsonObject;
import java.net.URI;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lets writes in again. */
@Command(
    name = "unfreeze",
    description = {
      "Lifts a freeze of writes. Gateways go by it within about a second.",
      "Writes that another freeze means as well stay frozen."
    },
    footerHeading = "%nExamples:%n",
    footer = "  fencegate unfreeze 5f0c2a9be417 --reason 'migration done'")
final class UnfreezeCommand extends OperatorCommand {

  @Parameters(paramLabel = "ID", description = "as 'freeze' and 'freezes' tell it")
  private String id = "";

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      required = true,
      description = "why, for the audit")
  private String reason = "";

  UnfreezeCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  int run(URI operator) {
    needsReason(reason);
    if (!id.matches("[A-Za-z0-9_-]{1,64}")) {
      throw unusable("'" + id + "' was given, expected an id that 'fencegate freezes' lists");
    }
    return report(
        new RemoteCalls(operator)
            .delete("/admin/v1/freezes/" + id, new JsonObject().put("reason", reason)));
  }

  @Override
  String adviceInDoubt() {
    return "see whether it is in force still (fencegate freezes), and repeat it then";
  }
}

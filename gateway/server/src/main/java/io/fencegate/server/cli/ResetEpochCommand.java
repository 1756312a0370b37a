/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.fencegate.policy.name.ResourceName;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Forgets a resource's epoch. */
@Command(
    name = "reset-epoch",
    description = {
      "Forgets the highest token that was accepted for a resource, so that lower ones count: when its"
          + " policy's token.source has changed, or when an external issuer starts anew.",
      "Make sure before that nobody writes with the old tokens any more: nothing else does.",
      "It is not asked twice: the reason is needed, and goes to the audit."
    },
    footerHeading = "%nExamples:%n",
    footer = "  fencegate reset-epoch ledger/acme --reason 'tokens come from the new scheduler'")
final class ResetEpochCommand extends OperatorCommand {

  @Parameters(paramLabel = "RESOURCE", description = "what is written to, e.g. ledger/acme")
  private ResourceName resource = new ResourceName("unset");

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      required = true,
      description = "why, for the audit")
  private String reason = "";

  ResetEpochCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  int run(URI operator) {
    needsReason(reason);
    return report(
        new RemoteCalls(operator)
            .post(
                "/admin/v1/epochs/" + resource + "/reset", new JsonObject().put("reason", reason)));
  }

  @Override
  String adviceInDoubt() {
    return "repeat it once the resource rests: it does what was left undone";
  }
}

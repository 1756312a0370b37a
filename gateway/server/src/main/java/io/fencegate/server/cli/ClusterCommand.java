/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.vertx.core.json.JsonObject;
import java.net.URI;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows the gateways that work together. */
@Command(
    name = "cluster",
    description = "Shows the gateways, their coordinator and the generation of its tokens.",
    subcommands = ClusterCommand.RaiseGeneration.class,
    footerHeading = "%nExamples:%n",
    footer = {
      "  fencegate cluster",
      "  fencegate cluster generation --raise --reason 'etcd restored from the backup of 3:00'"
    })
final class ClusterCommand extends OperatorCommand {

  private static final String PATH = "/admin/v1/cluster";

  ClusterCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  int run(URI operator) {
    return report(new RemoteCalls(operator).get(PATH));
  }

  @Override
  String adviceInDoubt() {
    return "repeat the command: it only reads";
  }

  /** Makes every token that was issued so far a stale one. */
  @Command(
      name = "generation",
      description = {
        "Raises the generation of tokens: whatever was issued before counts as older than whatever"
            + " comes now. For a coordinator that was restored from a backup; every holder has to"
            + " acquire anew."
      },
      footerHeading = "%nExamples:%n",
      footer =
          "  fencegate cluster generation --raise --reason 'etcd restored from the backup of 3:00'")
  static final class RaiseGeneration extends OperatorCommand {

    @Option(names = "--raise", required = true, description = "say that this is meant")
    private boolean raise;

    @Option(
        names = "--reason",
        paramLabel = "TEXT",
        required = true,
        description = "why, for the audit")
    private String reason = "";

    RaiseGeneration(Surroundings surroundings) {
      super(surroundings);
    }

    @Override
    int run(URI operator) {
      if (!raise || reason.isBlank()) {
        throw unusable("--raise and a --reason that a colleague understands are needed");
      }
      JsonObject body = new JsonObject().put("raise", true).put("reason", reason);
      return report(new RemoteCalls(operator).post(PATH + "/generation", body));
    }

    @Override
    String adviceInDoubt() {
      return "see which generation holds (fencegate cluster) before repeating it: every raise"
          + " makes all holders acquire anew";
    }
  }
}

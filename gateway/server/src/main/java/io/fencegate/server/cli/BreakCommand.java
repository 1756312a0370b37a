/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Takes a lock away from its holder. */
@Command(
    name = "break",
    description = {
      "Frees a lock whose holder cannot do it any more, and shuts its writes out: every token up to"
          + " its own is refused from then on. Answers when that is so everywhere.",
      "Exit code 1 when nobody holds it, or not with the token that is meant.",
      "It is not asked twice: the reason is needed, and goes to the audit."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  fencegate break settlement/eu --reason 'worker-7 hangs, INC-4711'",
      "  fencegate break settlement/eu --token 42 --reason 'only if it is still this one'"
    })
final class BreakCommand extends OperatorCommand {

  @Parameters(paramLabel = "RESOURCE", description = "what is locked, e.g. settlement/eu")
  private ResourceName resource = new ResourceName("unset");

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      required = true,
      description = "why, for the audit")
  private String reason = "";

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      description = "only if this token holds it (see 'lock show'), so that no successor is hit")
  private @Nullable FencingToken token;

  BreakCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  int run(URI operator) {
    needsReason(reason);
    JsonObject body = new JsonObject().put("resource", resource.value()).put("reason", reason);
    FencingToken chosen = token;
    if (chosen != null) {
      body.put("fencingToken", chosen.toString());
    }
    return report(
        new RemoteCalls(operator).post("/admin/v1/locks/break", body),
        answer -> !Boolean.FALSE.equals(answer.getValue("broken")));
  }

  @Override
  String adviceInDoubt() {
    return "see whether it is held still (lock show "
        + resource
        + "); to repeat it, "
        + (token == null
            ? "add --token with the token that the answer names, so that no successor is hit"
            : "use the same --token " + token);
  }
}

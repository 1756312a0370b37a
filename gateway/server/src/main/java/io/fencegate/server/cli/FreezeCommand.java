/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.fencegate.policy.freeze.FreezeScope;
import io.fencegate.policy.name.Parsed;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Stops writes. */
@Command(
    name = "freeze",
    description = {
      "Stops new writes in a scope on every gateway, until 'unfreeze': within about a second on those"
          + " that reach the coordinator; after 5 s no other lets any in. notDrained names the"
          + " gateways where writes that it stops may still be under way.",
      "Locks go on, and so do writes that have been sent already.",
      "It is not asked twice: the reason is needed. Whoever is refused reads it, and so does the audit."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  fencegate freeze --scope policy --target ledger --reason 'migration, INC-4711'",
      "  fencegate freeze --scope prefix --target settlement/eu --reason 'wrong rates'",
      "  fencegate freeze --scope all --reason 'data centre moves'"
    })
final class FreezeCommand extends OperatorCommand {

  @Option(
      names = "--scope",
      paramLabel = "SCOPE",
      required = true,
      description = "resource, prefix (whole segments of names), policy or all")
  private String scope = "";

  @Option(
      names = "--target",
      paramLabel = "NAME",
      description = "the resource, the prefix or the policy; none with all")
  private String target = "";

  @Option(
      names = "--local",
      description =
          "on the gateway that is asked, and on no other: needs no coordinator, and ends with the"
              + " process")
  private boolean local;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      required = true,
      description = "why, for who is refused and for the audit")
  private String reason = "";

  FreezeCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  int run(URI operator) {
    needsReason(reason);
    FreezeScope.Kind kind = usable("--scope", FreezeScope.Kind.parse(scope));
    FreezeScope meant = usable("--target", FreezeScope.parse(kind, target));
    JsonObject body =
        new JsonObject().put("scope", kind.wireName()).put("local", local).put("reason", reason);
    if (!meant.target().isEmpty()) {
      body.put("target", meant.target());
    }
    return report(new RemoteCalls(operator).post("/admin/v1/freezes", body));
  }

  private <T> T usable(String option, Parsed<T> parsed) {
    return parsed.fold(
        value -> value,
        bad -> {
          throw unusable(option + ": " + bad.message());
        });
  }

  @Override
  String adviceInDoubt() {
    return "see whether it is in force (fencegate freezes); a second one does no harm, but has to be"
        + " lifted as well";
  }
}

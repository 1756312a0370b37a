/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.fencegate.policy.name.PolicyName;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Puts a policy in force in another form, on all gateways. */
@Command(
    name = "switch",
    description = {
      "Puts a policy in force as the gateway that is asked has it in its files, on all gateways.",
      "Needed where its match, route, adapter, the adapter's address, guarantee, token source, key"
          + " scope or priority change: until then gateways with the new files answer its writes 503"
          + " handover, and those with the old ones go on.",
      "The policy's writes are frozen meanwhile (423), some 20 s as a rule: until every gateway has"
          + " nothing of them under way any more. A switch that is cut short is gone on with by the"
          + " same command; 'unfreeze' of its freeze calls it off.",
      "Data, epochs and keys in a downstream stay there: move them before if they are to be kept."
    },
    footerHeading = "%nExamples:%n",
    footer = "  fencegate policy switch ledger --reason 'new database, CHG-42'")
final class PolicySwitchCommand extends OperatorCommand {

  private static final long ASK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  @Parameters(paramLabel = "NAME", description = "the policy")
  private PolicyName policy = new PolicyName("none");

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      required = true,
      description = "why, for who is refused meanwhile and for the audit")
  private String reason = "";

  @Option(
      names = "--withdraw",
      description =
          "put out of force, on all gateways, a policy that the gateway's files no longer have")
  private boolean withdraw;

  PolicySwitchCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  int run(URI operator) {
    needsReason(reason);
    RemoteCalls calls = new RemoteCalls(operator);
    String path = "/admin/v1/policies/" + policy + "/switch";
    RemoteCalls.Reply begun =
        calls.post(path, new JsonObject().put("withdraw", withdraw).put("reason", reason));
    return report(
        Progress.during(() -> ended(calls, path, begun), err(), "waiting for the gateways"),
        answer -> "switched".equals(answer.getString("state")));
  }

  /** What the last answer says that does not say 'draining'. */
  private static RemoteCalls.Reply ended(RemoteCalls calls, String path, RemoteCalls.Reply begun) {
    RemoteCalls.Reply last = begun;
    while (last instanceof RemoteCalls.Reply.Done done
        && "draining".equals(done.answer().getString("state"))) {
      LockSupport.parkNanos(ASK_AGAIN_NANOS);
      last = calls.get(path);
    }
    return last;
  }

  @Override
  String adviceInDoubt() {
    return "repeat the command: it goes on with a switch that was begun";
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.fencegate.policy.name.RequestId;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.LeaseId;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Commands about locks, for people and scripts; programs use the SDK. */
@Command(
    name = "lock",
    description = "Takes, keeps, gives back and shows locks.",
    subcommands = {
      LockAcquireCommand.class,
      LockCommand.Renew.class,
      LockCommand.Release.class,
      LockCommand.Show.class,
      LockCommand.Cancel.class
    })
final class LockCommand implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  @Override
  public void run() {
    if (spec != null) {
      throw new CommandLine.ParameterException(spec.commandLine(), "which lock command?");
    }
  }

  /** A command about one resource. */
  abstract static class OfResource extends WorkerCommand {

    @Parameters(paramLabel = "RESOURCE", description = "what is locked, e.g. settlement/eu")
    private ResourceName resource = new ResourceName("unset");

    OfResource(Surroundings surroundings) {
      super(surroundings);
    }

    final ResourceName resource() {
      return resource;
    }

    final JsonObject body() {
      return new JsonObject().put("resource", resource.value());
    }

    @Override
    String adviceInDoubt() {
      return "repeat the command: that is harmless";
    }
  }

  /** A command that needs the lease. */
  abstract static class OfHolder extends OfResource {

    @Mixin private LeaseSource lease = new LeaseSource();

    OfHolder(Surroundings surroundings) {
      super(surroundings);
    }

    final JsonObject bodyWithLease() {
      LeaseId secret =
          lease
              .read(environment(LeaseSource.VARIABLE))
              .fold(
                  found -> found,
                  bad -> {
                    throw unusable(bad.message());
                  });
      return body().put("leaseId", secret.reveal());
    }
  }

  /** Extends a lease. */
  @Command(
      name = "renew",
      description = "Extends the lease of a lock; the token stays the same.",
      footerHeading = "%nExamples:%n",
      footer = {
        "  FENCING_LEASE=$lease fencegate lock renew settlement/eu",
        "  fencegate lock renew settlement/eu --lease-file lease.json --ttl 2m"
      })
  static final class Renew extends OfHolder {

    @Option(
        names = "--ttl",
        paramLabel = "TIME",
        description = "how long it lasts from now on (default: as before)")
    private @Nullable Duration ttl;

    Renew(Surroundings surroundings) {
      super(surroundings);
    }

    @Override
    int run(URI gateway) {
      JsonObject body = bodyWithLease();
      Duration chosen = ttl;
      if (chosen != null) {
        body.put("leaseTtlMs", chosen.toMillis());
      }
      return report(new RemoteCalls(gateway).post("/v1/locks/renew", body));
    }
  }

  /** Gives a lock back. */
  @Command(
      name = "release",
      description = {
        "Gives a lock back. Harmless to repeat; exit code 1 when another lease holds the lock."
      },
      footerHeading = "%nExamples:%n",
      footer = {
        "  FENCING_LEASE=$lease fencegate lock release settlement/eu",
        "  printf %%s \"$lease\" | fencegate lock release settlement/eu --lease -"
      })
  static final class Release extends OfHolder {

    Release(Surroundings surroundings) {
      super(surroundings);
    }

    @Override
    int run(URI gateway) {
      return report(
          new RemoteCalls(gateway).post("/v1/locks/release", bodyWithLease()),
          answer -> !"not-held".equals(answer.getValue("reason")));
    }
  }

  /** Shows a lock. */
  @Command(
      name = "show",
      description = "Says who holds a lock, under which token and for how long still.",
      footerHeading = "%nExamples:%n",
      footer = "  fencegate lock show settlement/eu --json")
  static final class Show extends OfResource {

    Show(Surroundings surroundings) {
      super(surroundings);
    }

    @Override
    int run(URI gateway) {
      return report(new RemoteCalls(gateway).get("/v1/locks/" + resource()));
    }
  }

  /** Takes a waiting acquire back. */
  @Command(
      name = "cancel",
      description = "Ends the waiting of an acquire, wherever it waits, and takes its place away.",
      footerHeading = "%nExamples:%n",
      footer = "  fencegate lock cancel settlement/eu --request-id nightly-17")
  static final class Cancel extends OfResource {

    @Option(
        names = "--request-id",
        paramLabel = "ID",
        required = true,
        description = "the id that the acquire was given")
    private RequestId requestId = new RequestId("unset");

    Cancel(Surroundings surroundings) {
      super(surroundings);
    }

    @Override
    int run(URI gateway) {
      JsonObject body = body().put("requestId", requestId.value());
      return report(new RemoteCalls(gateway).post("/v1/locks/cancel", body));
    }
  }
}

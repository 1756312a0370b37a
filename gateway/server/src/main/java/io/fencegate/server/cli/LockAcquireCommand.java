/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.fencegate.client.AcquireOptions;
import io.fencegate.client.AcquireRequest;
import io.fencegate.client.AcquireResult;
import io.fencegate.client.FencegateClient;
import io.fencegate.client.HeldLock;
import io.fencegate.client.Problem;
import io.fencegate.policy.name.HolderId;
import io.fencegate.policy.name.RequestId;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Certainty;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Takes a lock and leaves it to whoever reads the output. */
@Command(
    name = "acquire",
    description = {
      "Takes a lock and prints its fencing token and its lease. Nothing renews it: do that with"
          + " 'lock renew' before the time is over, or release it.",
      "The lease is a secret. Ctrl-C while waiting gives the place in the queue up."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  fencegate lock acquire settlement/eu --wait 5m --holder nightly",
      "  (umask 077; fencegate lock acquire settlement/eu --json >lease.json)",
      "  fencegate lock renew settlement/eu --lease-file lease.json"
    })
final class LockAcquireCommand extends WorkerCommand {

  /** A gateway that restarts is back by then; one that is not there is told soon. */
  private static final Duration DOUBT_PATIENCE = Duration.ofSeconds(3);

  private static final int SERVER_ERROR_CLASS = 5;

  @Parameters(paramLabel = "RESOURCE", description = "what to lock, e.g. settlement/eu")
  private ResourceName resource = new ResourceName("unset");

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      description = "how long the lease lasts without renewal (default: the policy's)")
  private @Nullable Duration ttl;

  @Option(
      names = "--wait",
      paramLabel = "TIME",
      description = "wait in the queue for so long (default: not at all)")
  private Duration wait = Duration.ZERO;

  @Option(names = "--holder", paramLabel = "TEXT", description = "who holds it, for people")
  private @Nullable HolderId holder;

  @Option(
      names = "--request-id",
      paramLabel = "ID",
      description = "to repeat an acquire whose end is not known (default: a new one)")
  private RequestId requestId = new RequestId(UUID.randomUUID().toString());

  @Option(
      names = "--metadata",
      paramLabel = "JSON",
      description = "an object for those who look at the lock")
  private String metadata = "{}";

  LockAcquireCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  int run(URI gateway) {
    AcquireRequest request = new AcquireRequest(resource, requestId, options());
    try (FencegateClient client =
        FencegateClient.builder().endpoint(gateway).acquireTimeout(DOUBT_PATIENCE).build()) {
      AcquireResult result =
          OnSignal.during(
              () ->
                  Progress.during(
                      () -> client.acquire(request), err(), "waiting for lock " + resource),
              client::close);
      return result.fold(this::held, this::failed);
    }
  }

  private AcquireOptions options() {
    try {
      AcquireOptions options = AcquireOptions.DEFAULTS.withWait(wait).withMetadataJson(metadata);
      options = ttl == null ? options : options.withTtl(ttl);
      return holder == null ? options : options.withHolder(holder.value());
    } catch (IllegalArgumentException e) {
      throw unusable(String.valueOf(e.getMessage()));
    }
  }

  private int held(HeldLock lock) {
    Duration left = lock.detach();
    JsonObject answer =
        new JsonObject()
            .put("resource", resource.value())
            .put("fencingToken", lock.token().toString())
            .put("leaseId", lock.leaseId().reveal())
            .put("leaseTtlMs", lock.ttl().toMillis())
            .put("remainingMs", left.toMillis())
            .put("requestId", requestId.value());
    return done(answer);
  }

  private int failed(Problem problem) {
    JsonObject json =
        new JsonObject()
            .put("code", problem.code())
            .put("detail", detail(problem))
            .put("outcome", problem.outcome().wireName())
            .put("retryable", problem.retryable())
            .put("requestId", requestId.value());
    if (problem.retryAfterMs() != null) {
      json.put("retryAfterMs", problem.retryAfterMs());
    }
    return failed(exitCode(problem), json);
  }

  /** Nothing but a signal closes this command's client while it waits. */
  private static String detail(Problem problem) {
    return problem.code().equals("client-closed") ? "a signal ended the wait" : problem.detail();
  }

  private static int exitCode(Problem problem) {
    if (problem.outcome() == Certainty.UNKNOWN) {
      return ExitCode.UNKNOWN;
    }
    boolean unreached = problem.code().equals("not-sent");
    return unreached || problem.status() / 100 == SERVER_ERROR_CLASS
        ? ExitCode.UNAVAILABLE
        : ExitCode.REFUSED;
  }

  @Override
  String adviceInDoubt() {
    return wait.isZero()
        ? "repeat the command with --request-id " + requestId + ": it finds a lock that was granted"
        : "the wait was taken back as far as the gateway was reached: see 'fencegate lock show "
            + resource
            + "', and acquire anew";
  }
}

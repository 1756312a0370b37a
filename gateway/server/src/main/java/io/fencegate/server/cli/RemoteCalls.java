/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Optional;

/** Calls that a command makes to a gateway, each sent once, on the command's own thread. */
final class RemoteCalls {

  /** Longer than a gateway takes to answer that its coordinator does not. */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(3);

  private static final int SUCCESS_CLASS = 2;
  private static final int SERVER_ERROR_CLASS = 5;

  /** What a call does at the gateway, and hence what a missing answer means. */
  enum Effect {
    READS(ExitCode.UNAVAILABLE),
    CHANGES(ExitCode.UNKNOWN);

    private final int doubtExitCode;

    Effect(int doubtExitCode) {
      this.doubtExitCode = doubtExitCode;
    }
  }

  /** What a call came to. */
  sealed interface Reply {

    /** The gateway did it. */
    record Done(JsonObject answer) implements Reply {}

    /**
     * It did not, or nobody knows.
     *
     * @param problem with {@code code}, {@code detail} and {@code outcome} at least
     */
    record Failed(int exitCode, JsonObject problem) implements Reply {}
  }

  private final URI base;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(CONNECT_PATIENCE)
          .build();

  RemoteCalls(URI base) {
    this.base = base;
  }

  Reply get(String path) {
    return send(request(path).GET().build(), Effect.READS);
  }

  Reply post(String path, JsonObject body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body.encode()))
            .build(),
        Effect.CHANGES);
  }

  Reply delete(String path, JsonObject body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .method("DELETE", BodyPublishers.ofString(body.encode()))
            .build(),
        Effect.CHANGES);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(base.resolve(path)).timeout(PATIENCE);
  }

  private Reply send(HttpRequest request, Effect effect) {
    try {
      return judge(http.send(request, BodyHandlers.ofString()), effect);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return doubt(effect, "interrupted while waiting for the answer of " + base);
    } catch (IOException e) {
      return judge(e, effect);
    }
  }

  /** Only a connection that was never made proves that nothing was sent. */
  private Reply judge(IOException failure, Effect effect) {
    boolean unreached =
        failure instanceof ConnectException
            || failure instanceof HttpConnectTimeoutException
            || failure.getCause() instanceof UnresolvedAddressException;
    return unreached
        ? failed(ExitCode.UNAVAILABLE, "not-sent", "nothing listens at " + base, "rejected")
        : doubt(effect, "no answer from " + base + " (" + failure.getClass().getSimpleName() + ")");
  }

  private Reply judge(HttpResponse<String> response, Effect effect) {
    int statusClass = response.statusCode() / 100;
    Optional<JsonObject> body = object(response.body());
    if (statusClass == SUCCESS_CLASS) {
      return body.<Reply>map(Reply.Done::new)
          .orElseGet(() -> doubt(effect, base + " does not answer as a gateway does"));
    }
    return body.filter(problem -> problem.getValue("code") instanceof String)
        .<Reply>map(problem -> new Reply.Failed(exitCode(problem, statusClass, effect), problem))
        .orElseGet(
            () ->
                doubt(
                    effect,
                    base + " answers " + response.statusCode() + ", and not as a gateway does"));
  }

  private static int exitCode(JsonObject problem, int statusClass, Effect effect) {
    if (!"rejected".equals(problem.getValue("outcome"))) {
      return effect.doubtExitCode;
    }
    return statusClass == SERVER_ERROR_CLASS ? ExitCode.UNAVAILABLE : ExitCode.REFUSED;
  }

  private static Optional<JsonObject> object(String body) {
    try {
      return Optional.of(new JsonObject(body));
    } catch (DecodeException e) {
      return Optional.empty();
    }
  }

  private static Reply doubt(Effect effect, String detail) {
    return failed(effect.doubtExitCode, "no-answer", detail, "unknown");
  }

  private static Reply failed(int exitCode, String code, String detail, String outcome) {
    return new Reply.Failed(
        exitCode, new JsonObject().put("code", code).put("detail", detail).put("outcome", outcome));
  }
}

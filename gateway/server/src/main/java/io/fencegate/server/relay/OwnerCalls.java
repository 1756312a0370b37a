/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.relay;

import io.fencegate.coordination.cluster.GatewayKey;
import io.fencegate.coordination.slot.Whereabouts;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.server.config.Listener;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Asks the gateway that carries a resource's writes out for what only it can do, and tells on the
 * other side that it was a gateway that asked. Futures never fail. Used from one context.
 */
public final class OwnerCalls {

  private static final int OK = 200;

  /** A gateway that lives and is near accepts at once. */
  private static final Duration CONNECT = Duration.ofSeconds(1);

  /** For the answer's way back, after the other gateway has to be done. */
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final Relay.Parts parts;

  OwnerCalls(Relay.Parts parts) {
    this.parts = parts;
  }

  /** Which gateway is to be asked; waits a while where that is just changing. */
  public Future<Whereabouts> locate(ResourceName resource, long deadlineNanos) {
    return parts.owners().locate(resource, deadlineNanos);
  }

  /**
   * Asks another gateway.
   *
   * @param deadlineNanos monotonic; by when the other gateway has to be done
   * @return empty when it has done it; else why that is not known. Asking again does no harm
   */
  public Future<Optional<Refusal>> ask(
      OwnerErrand errand, ResourceName resource, Whereabouts.Elsewhere there, long deadlineNanos) {
    return Listener.parse(there.address())
        .fold(
            address ->
                parts
                    .keys()
                    .current()
                    .compose(
                        key -> send(errand.target(resource), there, address, key, deadlineNanos))
                    .otherwise(failure -> notDone("asking it failed: " + failure.getMessage())),
            bad ->
                Future.succeededFuture(notDone("it is at an address of no use: " + bad.message())));
  }

  private Future<Optional<Refusal>> send(
      String target,
      Whereabouts.Elsewhere there,
      Listener address,
      GatewayKey key,
      long deadlineNanos) {
    long millis = parts.clocks().read().millisUntil(deadlineNanos);
    if (millis <= 0) {
      return Future.succeededFuture(notDone("time was up before it could be asked"));
    }
    String method = HttpMethod.POST.name();
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.POST)
            .setHost(address.host())
            .setPort(address.port())
            .setURI(target)
            .setConnectTimeout(CONNECT.toMillis())
            .setTimeout(millis + GRACE.toMillis())
            .putHeader(HopHeaders.DEADLINE, Long.toString(millis))
            .putHeader(
                HopHeader.NAME,
                HopHeader.signed(key, parts.owners().session(), there.session(), method, target)
                    .text());
    return parts
        .client()
        .request(options)
        .compose(HttpClientRequest::send)
        .compose(answer -> answer.body().map(body -> judge(answer, body)))
        .timeout(millis + GRACE.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static Optional<Refusal> judge(HttpClientResponse answer, Buffer body) {
    return answer.statusCode() == OK ? Optional.empty() : refusal(answer.statusCode(), body);
  }

  /** In the other gateway's words, as long as they mean that it can be asked again. */
  private static Optional<Refusal> refusal(int status, Buffer body) {
    try {
      JsonObject problem = new JsonObject(body);
      String named = problem.getString("code", "");
      String detail = problem.getString("detail", "");
      return Arrays.stream(RefusalCode.values())
          .filter(code -> code.retryable() && code.wireName().equals(named))
          .findFirst()
          .map(code -> code.because(detail))
          .or(() -> notDone("it answered " + status + " " + named + ": " + detail));
    } catch (DecodeException | ClassCastException unreadable) {
      return notDone("it answered " + status + " with something else than a gateway's words");
    }
  }

  private static Optional<Refusal> notDone(String why) {
    return Optional.of(
        RefusalCode.HANDOVER.because("the gateway that carries the resource's writes out: " + why));
  }

  /**
   * What is wrong with a request that only gateways may make.
   *
   * @param target as it came
   */
  public Future<Optional<Refusal>> objection(String method, String target, MultiMap headers) {
    return Relay.signed(parts, method, target, headers)
        .map(OwnerCalls::refusalOf)
        .otherwise(failure -> refusalOf(Relay.failed(failure)));
  }

  private static Optional<Refusal> refusalOf(Passage passage) {
    return passage.fold(Optional::empty, Optional::empty, Optional::of);
  }
}

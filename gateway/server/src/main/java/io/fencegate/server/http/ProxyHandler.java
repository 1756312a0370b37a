/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.adapter.spi.ForwardOutcome;
import io.fencegate.adapter.spi.KeyClaim;
import io.fencegate.adapter.spi.KeyScope;
import io.fencegate.adapter.spi.ProxiedRequest;
import io.fencegate.adapter.spi.ProxyAdapter;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.model.ProxyPolicy;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.model.Route;
import io.fencegate.policy.name.IdempotencyKey;
import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.policy.ActivePolicies;
import io.fencegate.server.policy.RoutedPolicy;
import io.fencegate.server.relay.Relay;
import io.fencegate.server.write.WriteCommand;
import io.fencegate.server.write.WriteReport;
import io.fencegate.server.write.WriteService;
import io.fencegate.server.write.WriteTask;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Requests that a policy's route takes: writes go the path of every write, with the request itself
 * as what is written; reads pass without a token where the policy says so. Nothing of a body is
 * read before that, unless the request has an Idempotency-Key: then all of it is, since the key
 * stands for it.
 */
final class ProxyHandler {

  /** All paths but the gateway's own. */
  static final String NOT_OURS = "^(?!/" + Route.OWN_SEGMENT + "(?:/|$)).*";

  private static final String OWN = "/" + Route.OWN_SEGMENT;

  /** What a write may spend until it is let in, beside the adapter's own time. */
  private static final Duration ADMISSION = Duration.ofSeconds(10);

  /** Headers by which some origins take a GET for another method. */
  private static final List<String> OVERRIDES =
      List.of("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override");

  private static final long NANOS_PER_MILLI = 1_000_000L;

  private final WriteService writes;
  private final ActivePolicies policies;
  private final Clocks clocks;
  private final RequestGate gate;
  private final Relay relay;
  private final KeyedBodies keyedBodies = new KeyedBodies();

  ProxyHandler(WorkerApi.Parts parts) {
    this.writes = parts.writes();
    this.policies = parts.policies();
    this.clocks = parts.clocks();
    this.gate = parts.gate();
    this.relay = parts.relay();
  }

  /** Whether {@link #NOT_OURS} takes the path; asked of every request. */
  static boolean isProxied(String path) {
    return !path.startsWith(OWN)
        || (path.length() > OWN.length() && path.charAt(OWN.length()) != '/');
  }

  /** Where a request leads, with its body still on the wire. */
  private record Routed(RequestTarget target, RoutedPolicy policy, CallerBody body) {
    ProxyAdapter adapter() {
      if (policy.matched().adapter() instanceof ProxyAdapter adapter) {
        return adapter;
      }
      throw new IllegalStateException("checked at load: " + policy.matched().policy().adapter());
    }
  }

  void handle(RoutingContext context) {
    HttpServerRequest request = context.request();
    request.pause();
    Ruling<RequestTarget> target = RequestTarget.parse(request.uri());
    Ruling<RoutedPolicy> policy = target.then(it -> policies.route(it.path()));
    target
        .then(it -> policy.then(found -> routed(request, it, found)))
        .fold(
            routed -> pass(context, routed),
            refusal -> {
              request.resume();
              return refuse(context, refusal, policy);
            })
        .onFailure(context::fail);
  }

  private static Ruling<Routed> routed(
      HttpServerRequest request, RequestTarget target, RoutedPolicy policy) {
    long maxBytes = policy.matched().policy().limits().maxBodyBytes();
    return BodyFraming.length(request, maxBytes)
        .map(length -> new Routed(target, policy, new CallerBody(request, length)));
  }

  private Future<Void> refuse(
      RoutingContext context, Refusal refusal, Ruling<RoutedPolicy> policy) {
    @Nullable ResourceName resource = policy.fold(RoutedPolicy::resource, unmatched -> null);
    return ProxyPolicy.READ_METHODS.contains(context.request().method().name())
        ? OutcomeHttp.refuse(context.response(), refusal, resource)
        : OutcomeHttp.refuseWrite(context.response(), refusal, resource);
  }

  private Future<Void> pass(RoutingContext context, Routed routed) {
    String method = context.request().method().name();
    ProxyPolicy http = routed.policy().http();
    Future<Void> answered;
    if (http.methods().contains(method)) {
      answered = write(context, routed);
    } else if (http.reads(method)) {
      answered = read(context, routed);
    } else {
      answered = refuseMethod(context, routed);
    }
    return answered.onComplete(unused -> routed.body().discard());
  }

  private Future<Void> refuseMethod(RoutingContext context, Routed routed) {
    String allowed = String.join(", ", routed.policy().http().passing());
    context.response().putHeader(HttpHeaders.ALLOW, allowed);
    return refuse(
        context,
        RefusalCode.METHOD_NOT_ALLOWED.because(
            "method "
                + Parsed.show(context.request().method().name())
                + " was given, the policy lets through "
                + allowed),
        Ruling.granted(routed.policy()));
  }

  // ---- writes

  private Future<Void> write(RoutingContext context, Routed routed) {
    HttpServerRequest request = context.request();
    ResourcePolicy policy = routed.policy().matched().policy();
    return WriteRequestParser.headers(request.headers(), policy)
        .fold(
            headers -> inItsPlace(context, routed, headers),
            refusal -> refuse(context, refusal, Ruling.granted(routed.policy())));
  }

  /** Here, or at the gateway that carries the resource's writes out. */
  private Future<Void> inItsPlace(
      RoutingContext context, Routed routed, WriteRequestParser.Headers headers) {
    long deadlineNanos = deadline(routed, headers);
    boolean owned = routed.adapter().offer().needsOwner();
    if (!Relay.concerns(context.request().headers(), owned)) {
      return here(context, routed, headers, deadlineNanos);
    }
    RelayedRequest relayed = RelayedRequest.of(context, gate, routed.body());
    return relay
        .pass(relayed.errand(routed.policy().resource(), owned, deadlineNanos))
        .compose(
            passage ->
                passage.fold(
                    () -> here(context, routed, headers, deadlineNanos),
                    Future::succeededFuture,
                    refusal -> refuse(context, routed, headers, refusal)));
  }

  private long deadline(Routed routed, WriteRequestParser.Headers headers) {
    long budgetMillis =
        Math.min(
            ADMISSION.plus(routed.adapter().longestForward()).toMillis(),
            headers.deadlineMillis().orElse(Long.MAX_VALUE));
    return clocks.read().monotonicNanos() + budgetMillis * NANOS_PER_MILLI;
  }

  private static Future<Void> refuse(
      RoutingContext context, Routed routed, WriteRequestParser.Headers headers, Refusal refusal) {
    WriteHeader shown = headers.fence();
    return OutcomeHttp.write(
        context.response(),
        routed.policy().resource(),
        routed.policy().matched().kept().guarantee(),
        WriteReport.refused(refusal, shown == null ? null : shown.token()));
  }

  private Future<Void> here(
      RoutingContext context,
      Routed routed,
      WriteRequestParser.Headers headers,
      long deadlineNanos) {
    routed.body().limitTo(routed.policy().matched().policy().limits().maxBodyBytes());
    WriteCommand unread = command(context, routed, headers, deadlineNanos);
    return headers
        .key()
        .map(key -> keyed(context, routed, unread, scope(routed, key)))
        .orElseGet(() -> submit(context, unread));
  }

  private static KeyScope scope(Routed routed, IdempotencyKey key) {
    return WriteHandler.scope(routed.policy().resource(), routed.policy().matched().policy(), key);
  }

  /** What waits to be told to send its body may be refused without it. */
  private Future<Void> keyed(
      RoutingContext context, Routed routed, WriteCommand unread, KeyScope scope) {
    if (!Expectation.isOpen(context.request())) {
      return readThenSubmit(context, routed, unread, scope);
    }
    return writes
        .staleUnread(unread, scope)
        .compose(
            stale ->
                stale
                    .map(report -> answer(context, unread, report))
                    .orElseGet(() -> readThenSubmit(context, routed, unread, scope)));
  }

  private Future<Void> readThenSubmit(
      RoutingContext context, Routed routed, WriteCommand unread, KeyScope scope) {
    return keyedBodies.with(
        routed.body(),
        unread.policy().limits().maxBodyBytes(),
        ruling ->
            ruling.fold(
                body -> submit(context, keyed(routed, unread, scope, body)),
                refusal -> answer(context, unread, WriteReport.refused(refusal, unread.token()))));
  }

  private static WriteCommand keyed(
      Routed routed, WriteCommand unread, KeyScope scope, Buffer body) {
    if (!(unread.task() instanceof WriteTask.Forward forward)) {
      throw new IllegalStateException("no forward: " + unread.task().wireName());
    }
    ProxiedRequest request = forward.request();
    KeyClaim claim =
        new KeyClaim(
            scope,
            Fingerprint.over(
                request.method(), routed.target().path().text(), routed.target().query(), body),
            unread.policy().idempotency().retention());
    ProxiedRequest read =
        new ProxiedRequest(
            request.method(),
            request.target(),
            request.headers(),
            new HeldBody(body),
            request.caller());
    return unread.with(new WriteTask.Forward(forward.adapter(), read), claim);
  }

  private WriteCommand command(
      RoutingContext context,
      Routed routed,
      WriteRequestParser.Headers headers,
      long deadlineNanos) {
    Guarantee guarantee = routed.policy().matched().kept().guarantee();
    WriteHeader fence = headers.fence();
    if (fence == null) {
      throw new IllegalStateException("a route is in shadow, which loading refuses");
    }
    HttpCaller caller =
        new HttpCaller(
            context,
            gate,
            (response, status) ->
                OutcomeHttp.forwarded(response, status, guarantee, fence.token()));
    return new WriteCommand(
        routed.policy().resource(),
        routed.policy().matched(),
        Principal.ANONYMOUS,
        fence,
        new WriteTask.Forward(routed.adapter(), proxied(context, routed, caller)),
        null,
        deadlineNanos);
  }

  private Future<Void> submit(RoutingContext context, WriteCommand command) {
    return gate.track(writes.submit(command)).compose(report -> answer(context, command, report));
  }

  private static Future<Void> answer(
      RoutingContext context, WriteCommand command, WriteReport report) {
    return OutcomeHttp.write(context.response(), command.resource(), command.guarantee(), report);
  }

  private static ProxiedRequest proxied(RoutingContext context, Routed routed, HttpCaller caller) {
    HttpServerRequest request = context.request();
    return new ProxiedRequest(
        request.method().name(), routed.target().text(), request.headers(), routed.body(), caller);
  }

  // ---- reads

  private Future<Void> read(RoutingContext context, Routed routed) {
    HttpServerRequest request = context.request();
    if (routed.body().lengthBytes().orElse(1) != 0) {
      return badRead(context, routed, "a body was given, reads have none", "body");
    }
    for (String override : OVERRIDES) {
      if (request.headers().contains(override)) {
        return badRead(
            context, routed, override + " was given: a read is no other method", override);
      }
    }
    HttpCaller caller =
        new HttpCaller(context, gate, (response, status) -> response.setStatusCode(status));
    long deadlineNanos =
        clocks.read().monotonicNanos() + routed.adapter().longestForward().toNanos();
    return gate.track(routed.adapter().read(proxied(context, routed, caller), deadlineNanos))
        .compose(outcome -> answerRead(context, outcome, routed.policy().resource()));
  }

  private Future<Void> badRead(RoutingContext context, Routed routed, String why, String field) {
    return refuse(
        context,
        RefusalCode.INVALID_REQUEST.because(why).atField(field),
        Ruling.granted(routed.policy()));
  }

  private static Future<Void> answerRead(
      RoutingContext context, ForwardOutcome outcome, ResourceName resource) {
    if (context.response().headWritten()) {
      return Future.succeededFuture();
    }
    return outcome.fold(
        answered -> Future.succeededFuture(),
        () -> refuseRead(context, "it was not sent", resource),
        () -> refuseRead(context, "it was taken for a write", resource),
        refusal -> OutcomeHttp.refuse(context.response(), refusal, resource),
        unknown -> refuseRead(context, unknown.reason(), resource));
  }

  private static Future<Void> refuseRead(
      RoutingContext context, String why, ResourceName resource) {
    return OutcomeHttp.refuse(
        context.response(), RefusalCode.DOWNSTREAM_UNAVAILABLE.because(why), resource);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.adapter.spi.KeyClaim;
import io.fencegate.adapter.spi.KeyScope;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.model.IdempotencyScope;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.name.IdempotencyKey;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.policy.ActivePolicies;
import io.fencegate.server.policy.MatchedPolicy;
import io.fencegate.server.relay.Relay;
import io.fencegate.server.write.WriteCommand;
import io.fencegate.server.write.WriteReport;
import io.fencegate.server.write.WriteService;
import io.fencegate.server.write.WriteTask;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The write and seal endpoints: headers, policy, body, then the write path. */
final class WriteHandler {

  static final String WRITE = "/v1/write/";
  static final String SEAL = "/v1/seal/";

  /** The longest that a write may take from its body's arrival to its answer. */
  private static final Duration BUDGET = Duration.ofSeconds(10);

  private static final long NANOS_PER_MILLI = 1_000_000L;

  private final WriteService writes;
  private final ActivePolicies policies;
  private final Clocks clocks;
  private final RequestGate gate;
  private final Relay relay;

  WriteHandler(WorkerApi.Parts parts) {
    this.writes = parts.writes();
    this.policies = parts.policies();
    this.clocks = parts.clocks();
    this.gate = parts.gate();
    this.relay = parts.relay();
  }

  /** What is known of a write before its body is read. */
  private record Matched(
      ResourceName resource,
      MatchedPolicy policy,
      WriteRequestParser.Headers headers,
      long deadlineNanos) {}

  void write(RoutingContext context) {
    Ruling<ResourceName> name = ResourcePaths.resource(context.request(), WRITE, "");
    name.then(found -> matched(context.request(), found, WriteRequestParser::headers))
        .fold(
            matched -> inItsPlace(context, matched, () -> readThenWrite(context, matched)),
            refusal -> refuse(context, name, refusal))
        .onFailure(context::fail);
  }

  void seal(RoutingContext context) {
    Ruling<ResourceName> name = ResourcePaths.resource(context.request(), SEAL, "");
    name.then(found -> matched(context.request(), found, WriteRequestParser::sealHeaders))
        .fold(
            matched -> inItsPlace(context, matched, () -> readThenSeal(context, matched)),
            refusal -> refuse(context, name, refusal))
        .onFailure(context::fail);
  }

  private static Future<Void> refuse(
      RoutingContext context, Ruling<ResourceName> name, Refusal refusal) {
    @Nullable ResourceName resource = name.fold(found -> found, malformed -> null);
    return OutcomeHttp.refuseWrite(context.response(), refusal, resource);
  }

  private Ruling<Matched> matched(
      HttpServerRequest request,
      ResourceName resource,
      BiFunction<MultiMap, ResourcePolicy, Ruling<WriteRequestParser.Headers>> parser) {
    long arrivedNanos = clocks.read().monotonicNanos();
    return policies
        .match(resource)
        .then(
            policy ->
                parser
                    .apply(request.headers(), policy.policy())
                    .map(
                        headers ->
                            new Matched(
                                resource, policy, headers, deadline(arrivedNanos, headers))));
  }

  private static long deadline(long arrivedNanos, WriteRequestParser.Headers headers) {
    long budgetMillis =
        Math.min(BUDGET.toMillis(), headers.deadlineMillis().orElse(Long.MAX_VALUE));
    return arrivedNanos + budgetMillis * NANOS_PER_MILLI;
  }

  /** Here, or at the gateway that carries the resource's writes out. */
  private Future<Void> inItsPlace(
      RoutingContext context, Matched matched, Supplier<Future<Void>> here) {
    HttpServerRequest request = context.request();
    boolean owned = matched.policy().adapter().offer().needsOwner();
    if (!Relay.concerns(request.headers(), owned)) {
      return here.get();
    }
    return RelayedRequest.of(context, gate, matched.policy().policy().limits().maxBodyBytes())
        .fold(
            relayed ->
                relay
                    .pass(relayed.errand(matched.resource(), owned, matched.deadlineNanos()))
                    .compose(
                        passage ->
                            passage.fold(
                                here,
                                Future::succeededFuture,
                                refusal -> refuse(context, matched, refusal)))
                    .onComplete(unused -> relayed.discard()),
            refusal -> refuse(context, matched, refusal));
  }

  private Future<Void> readThenWrite(RoutingContext context, Matched matched) {
    ResourcePolicy policy = matched.policy().policy();
    return JsonBody.read(context.request(), policy.limits().maxBodyBytes())
        .map(body -> body.then(bytes -> command(context.request(), matched, bytes)))
        .compose(
            ruling ->
                ruling.fold(
                    command -> submit(context, command),
                    refusal -> refuse(context, matched, refusal)));
  }

  private static Future<Void> refuse(RoutingContext context, Matched matched, Refusal refusal) {
    WriteHeader shown = matched.headers().fence();
    WriteReport report = WriteReport.refused(refusal, shown == null ? null : shown.token());
    return OutcomeHttp.write(
        context.response(), matched.resource(), matched.policy().kept().guarantee(), report);
  }

  private Ruling<WriteCommand> command(HttpServerRequest request, Matched matched, Buffer body) {
    ResourcePolicy policy = matched.policy().policy();
    return WriteRequestParser.content(body, policy, matched.policy().variables())
        .then(content -> withoutObjection(matched, content))
        .map(
            content ->
                command(
                    matched,
                    new WriteTask.Operations(content),
                    claim(request, matched, body).orElse(null)));
  }

  private static Ruling<WriteContent> withoutObjection(Matched matched, WriteContent content) {
    Optional<Refusal> objection = matched.policy().adapter().objection(content);
    return objection.map(Ruling::<WriteContent>refused).orElseGet(() -> Ruling.granted(content));
  }

  private static WriteCommand command(Matched matched, WriteTask task, @Nullable KeyClaim claim) {
    return new WriteCommand(
        matched.resource(),
        matched.policy(),
        Principal.ANONYMOUS,
        matched.headers().fence(),
        task,
        claim,
        matched.deadlineNanos());
  }

  private static Optional<KeyClaim> claim(HttpServerRequest request, Matched matched, Buffer body) {
    return matched
        .headers()
        .key()
        .map(
            key ->
                new KeyClaim(
                    scope(matched.resource(), matched.policy().policy(), key),
                    Fingerprint.over(
                        request.method().name(), request.path(), request.query(), body),
                    matched.policy().policy().idempotency().retention()));
  }

  /** What a key names a write within, as the policy has it. */
  static KeyScope scope(ResourceName resource, ResourcePolicy policy, IdempotencyKey key) {
    String caller =
        policy.idempotency().scope() == IdempotencyScope.CALLER ? Principal.ANONYMOUS.value() : "";
    return new KeyScope(resource, caller, key);
  }

  private Future<Void> submit(RoutingContext context, WriteCommand command) {
    return gate.track(writes.submit(command))
        .compose(
            report ->
                OutcomeHttp.write(
                    context.response(), command.resource(), command.guarantee(), report));
  }

  private Future<Void> readThenSeal(RoutingContext context, Matched matched) {
    return JsonBody.readNothing(context.request())
        .compose(
            ruling ->
                ruling.fold(
                    unused -> seal(context, command(matched, new WriteTask.Seal(), null)),
                    refusal -> refuse(context, matched, refusal)));
  }

  private Future<Void> seal(RoutingContext context, WriteCommand command) {
    return gate.track(writes.seal(command))
        .compose(
            report ->
                OutcomeHttp.seal(
                    context.response(), command.resource(), command.guarantee(), report));
  }
}

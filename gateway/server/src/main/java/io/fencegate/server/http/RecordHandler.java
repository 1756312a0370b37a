/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.adapter.spi.KeyScope;
import io.fencegate.adapter.spi.OutcomeRecords;
import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.policy.name.IdempotencyKey;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.server.policy.ActivePolicies;
import io.fencegate.server.policy.MatchedPolicy;
import io.fencegate.server.write.KeyRecords;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What is known of a write by its key, and closing the key's door to make sure. */
final class RecordHandler {

  static final String WRITES = "/v1/writes/";
  static final String CLOSE = "/close";

  private static final Duration BUDGET = Duration.ofSeconds(10);

  private final ActivePolicies policies;
  private final KeyRecords keyRecords;
  private final Clocks clocks;

  RecordHandler(ActivePolicies policies, KeyRecords keyRecords, Clocks clocks) {
    this.policies = policies;
    this.keyRecords = keyRecords;
    this.clocks = clocks;
  }

  private record Question(KeyScope scope, OutcomeRecords records, Duration retention) {}

  void show(RoutingContext context) {
    answer(context, "", question -> question.records().lookUp(question.scope(), deadlineNanos()))
        .onFailure(context::fail);
  }

  void close(RoutingContext context) {
    JsonBody.readNothing(context.request())
        .compose(
            ruling ->
                ruling.fold(
                    unused -> closeKey(context),
                    refusal -> OutcomeHttp.refuse(context.response(), refusal, null)))
        .onFailure(context::fail);
  }

  private Future<Void> closeKey(RoutingContext context) {
    return answer(
        context,
        CLOSE,
        question ->
            question.records().close(question.scope(), question.retention(), deadlineNanos()));
  }

  private Future<Void> answer(
      RoutingContext context,
      String suffix,
      Function<Question, Future<Ruling<RecordedWrite>>> ask) {
    HttpServerRequest request = context.request();
    Ruling<ResourceName> name = ResourcePaths.resource(request, WRITES, suffix);
    @Nullable ResourceName resource = name.fold(found -> found, refusal -> null);
    Ruling<Question> question = name.then(found -> question(context, found));
    return question
        .fold(
            asked -> ask.apply(asked).map(ruling -> ruling.map(record -> json(asked, record))),
            refusal -> Future.succeededFuture(Ruling.<JsonObject>refused(refusal)))
        .compose(
            ruling ->
                ruling.fold(
                    json -> OutcomeHttp.ok(context.response(), json),
                    refusal -> OutcomeHttp.refuse(context.response(), inDoubt(refusal), resource)));
  }

  private Ruling<Question> question(RoutingContext context, ResourceName resource) {
    return policies
        .matchAgreed(resource)
        .then(
            matched ->
                key(context)
                    .then(
                        key ->
                            records(matched)
                                .map(
                                    records ->
                                        new Question(
                                            WriteHandler.scope(resource, matched.policy(), key),
                                            records,
                                            matched.policy().idempotency().retention()))));
  }

  private Ruling<OutcomeRecords> records(MatchedPolicy matched) {
    return keyRecords
        .of(matched.adapter())
        .map(Ruling::granted)
        .orElseGet(
            () ->
                Ruling.refused(
                    RefusalCode.INVALID_REQUEST.because(
                        "the adapter of this resource keeps no outcome records")));
  }

  private static Ruling<IdempotencyKey> key(RoutingContext context) {
    List<String> keys = context.queryParam("key");
    if (keys.size() != 1) {
      return Ruling.refused(
          RefusalCode.INVALID_REQUEST
              .because("exactly one query parameter key is expected")
              .atField("key"));
    }
    return IdempotencyKey.parse(keys.get(0))
        .fold(
            Ruling::granted,
            bad -> Ruling.refused(Refusal.malformed(RefusalCode.INVALID_REQUEST, "key", bad)));
  }

  /** What cannot be found out is no proof of anything. */
  private static Refusal inDoubt(Refusal refusal) {
    return refusal.retryable() ? refusal.inDoubt() : refusal;
  }

  private static JsonObject json(Question question, RecordedWrite record) {
    JsonObject answer = new JsonObject().put("key", question.scope().key().value());
    if (record instanceof RecordedWrite.Applied applied) {
      FencingToken token = applied.token();
      return answer
          .put("outcome", "applied")
          .put("fencingToken", token == null ? null : token.toString())
          .put("at", applied.at().toString());
    }
    if (record instanceof RecordedWrite.Answered answered) {
      return answer
          .put("outcome", OutcomeHttp.isRefusal(answered.status()) ? "rejected" : "applied")
          .put("status", answered.status())
          .put("fencingToken", answered.token().toString())
          .put("at", answered.at().toString());
    }
    if (record instanceof RecordedWrite.Unknown unknown) {
      FencingToken token = unknown.token();
      return answer
          .put("outcome", "unknown")
          .put("fencingToken", token == null ? null : token.toString())
          .put("reason", unknown.reason())
          .put("at", unknown.at().toString());
    }
    if (record instanceof RecordedWrite.Closed closed) {
      return answer.put("outcome", "rejected").put("at", closed.at().toString());
    }
    return answer.put("outcome", record instanceof RecordedWrite.InFlight ? "in-flight" : "none");
  }

  private long deadlineNanos() {
    return clocks.read().monotonicNanos() + BUDGET.toNanos();
  }
}

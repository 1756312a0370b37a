/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.WriteOutcome;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.server.write.ShadowVerdict;
import io.fencegate.server.write.WriteReport;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** The one table from outcomes to HTTP (RFC 9110 status codes, RFC 9457 problem details). */
public final class OutcomeHttp {

  private static final String PROBLEM_TYPE = "urn:fencegate:problem:";
  private static final String PROBLEM_JSON = "application/problem+json";
  private static final String REPLAYED = "Idempotent-Replayed";
  private static final String ACCEPTED = "accepted";
  private static final String JSON = "application/json";
  private static final long MILLIS_PER_SECOND = 1_000;
  private static final int FIRST_REFUSAL = 400;

  /** What a 503 without a hint of its own hints at. */
  private static final long DEFAULT_RETRY_MILLIS = 1_000;

  private OutcomeHttp() {}

  static int status(RefusalCode code) {
    return switch (code) {
      case INVALID_REQUEST, INVALID_RESOURCE, INVALID_TOKEN -> 400;
      case TOKEN_NOT_ISSUED -> 403;
      case UNKNOWN_RESOURCE, UNKNOWN_OPERATION, NOT_FOUND -> 404;
      case METHOD_NOT_ALLOWED -> 405;
      case REQUEST_TIMEOUT -> 408;
      case LOCK_HELD, WAIT_TIMEOUT, IN_FLIGHT, LEASE_LOST -> 409;
      case STALE_TOKEN, LEASE_EXPIRED -> 412;
      case BODY_TOO_LARGE -> 413;
      case UNSUPPORTED_MEDIA_TYPE -> 415;
      case EXPECTATION_FAILED -> 417;
      case REQUEST_ID_REUSED, IDEMPOTENCY_KEY_REUSED, OPERATION_FAILED -> 422;
      case FROZEN -> 423;
      case TOKEN_REQUIRED, LEASE_REQUIRED, IDEMPOTENCY_KEY_REQUIRED -> 428;
      case TOO_MANY_WAITERS, TOO_MANY_IN_FLIGHT -> 429;
      case HEADERS_TOO_LARGE -> 431;
      case INTERNAL_ERROR -> 500;
      case UPSTREAM_UNREACHABLE -> 502;
      case COORDINATOR_UNAVAILABLE,
          EPOCH_STORE_UNAVAILABLE,
          OVERLOADED,
          DRAINING,
          HANDOVER,
          DOWNSTREAM_BUSY,
          DOWNSTREAM_UNAVAILABLE,
          EPOCH_WENT_BACKWARDS,
          PREDECESSOR_UNRESOLVED,
          TOKEN_BELOW_FLOOR ->
          503;
      case OUTCOME_UNKNOWN -> 504;
    };
  }

  /** Whether a service says by this status that it did not do what it was asked. */
  static boolean isRefusal(int status) {
    return status >= FIRST_REFUSAL;
  }

  /** Answers 200 with a JSON body. */
  public static Future<Void> ok(HttpServerResponse response, JsonObject body) {
    return respond(response, 200, JSON, body.encode());
  }

  /** Answers a readiness check. */
  public static Future<Void> readiness(
      HttpServerResponse response, boolean ready, JsonObject body) {
    return respond(response, ready ? 200 : 503, JSON, body.encode());
  }

  /** Answers a refusal that concerns no write's token. */
  public static Future<Void> refuse(
      HttpServerResponse response, Refusal refusal, @Nullable ResourceName resource) {
    return refuse(response, refusal, problem(refusal, resource));
  }

  /** Answers a write that was refused before its token was judged. */
  static Future<Void> refuseWrite(
      HttpServerResponse response, Refusal refusal, @Nullable ResourceName resource) {
    response.putHeader("Fencing-Decision", rejected(refusal));
    return refuse(response, refusal, resource);
  }

  private static Future<Void> refuse(
      HttpServerResponse response, Refusal refusal, JsonObject problem) {
    int status = status(refusal.code());
    Long hint = refusal.retryAfterMillis();
    if (hint != null || (status == 503 && refusal.retryable())) {
      long millis = hint == null ? DEFAULT_RETRY_MILLIS : hint;
      problem.put("retryAfterMs", millis);
      response.putHeader(
          HttpHeaders.RETRY_AFTER,
          Long.toString(Math.max(1, (millis + MILLIS_PER_SECOND - 1) / MILLIS_PER_SECOND)));
    }
    return respond(response, status, PROBLEM_JSON, problem.encode());
  }

  /** Begins the answer to a write with the head of the downstream's own. */
  static HttpServerResponse forwarded(
      HttpServerResponse response, int status, Guarantee guarantee, FencingToken token) {
    return response
        .setStatusCode(status)
        .putHeader("Fencing-Guarantee", guarantee.wireName())
        .putHeader("Fencing-Token", token.toString())
        .putHeader("Fencing-Epoch", token.toString())
        .putHeader("Fencing-Decision", ACCEPTED);
  }

  /**
   * Answers a write with the headers that say how it was judged; what the downstream answered
   * itself has been answered.
   */
  static Future<Void> write(
      HttpServerResponse response, ResourceName resource, Guarantee guarantee, WriteReport report) {
    RecordedWrite.Answered replay = report.replay();
    if (replay != null) {
      return replayed(response, guarantee, report, replay);
    }
    if (report.outcome() instanceof WriteOutcome.Answered) {
      return Future.succeededFuture();
    }
    judgement(response, guarantee, report);
    return report
        .outcome()
        .fold(
            applied -> applied(response, resource, report, applied),
            answered -> Future.succeededFuture(),
            rejected -> refusedWrite(response, resource, report, rejected.refusal()),
            unknown -> refusedWrite(response, resource, report, unknown.refusal()));
  }

  /**
   * Answers what the downstream answered to the first request with the key, as far as it is kept.
   */
  private static Future<Void> replayed(
      HttpServerResponse response,
      Guarantee guarantee,
      WriteReport report,
      RecordedWrite.Answered replay) {
    if (response.ended() || response.closed()) {
      return Future.succeededFuture();
    }
    replay.headers().forEach(header -> response.headers().add(header.getKey(), header.getValue()));
    judgement(response, guarantee, report);
    response.setStatusCode(replay.status()).putHeader(REPLAYED, "true");
    if (replay.body().isEmpty()) {
      response.putHeader("Fencing-Replayed-Body", "not-kept");
    }
    Buffer body = replay.body().orElseGet(Buffer::buffer);
    return (body.length() > 0 ? response.end(body) : response.end()).otherwiseEmpty();
  }

  /** Answers a seal with the same headers. */
  static Future<Void> seal(
      HttpServerResponse response, ResourceName resource, Guarantee guarantee, WriteReport report) {
    if (!(report.outcome() instanceof WriteOutcome.Applied)) {
      return write(response, resource, guarantee, report);
    }
    judgement(response, guarantee, report);
    return ok(
        response,
        new JsonObject().put("resource", resource.value()).put("epoch", text(report.token())));
  }

  private static void judgement(
      HttpServerResponse response, Guarantee guarantee, WriteReport report) {
    response
        .putHeader("Fencing-Guarantee", guarantee.wireName())
        .putHeader("Fencing-Decision", decision(report.outcome()));
    FencingToken token = report.token();
    if (token != null) {
      response.putHeader("Fencing-Token", token.toString());
    }
    ShadowVerdict shadow = report.shadow();
    if (shadow != null) {
      response.putHeader(
          "Fencing-Shadow-Decision",
          shadow.refusal().map(OutcomeHttp::rejected).orElse("accepted"));
    }
    FencingToken epoch = epoch(report);
    if (epoch != null) {
      response.putHeader("Fencing-Epoch", epoch.toString());
    }
  }

  private static @Nullable String text(@Nullable FencingToken token) {
    return token == null ? null : token.toString();
  }

  /** What was applied was the epoch at least then; a write in shadow raises none. */
  private static @Nullable FencingToken epoch(WriteReport report) {
    if (report.shadow() != null) {
      return null;
    }
    boolean applied = report.outcome() instanceof WriteOutcome.Applied;
    return report.epoch() == null && applied ? report.token() : report.epoch();
  }

  private static String decision(WriteOutcome outcome) {
    return outcome.fold(
        applied -> ACCEPTED,
        answered -> ACCEPTED,
        rejected -> rejected(rejected.refusal()),
        unknown -> "unknown;reason=\"" + unknown.refusal().code().wireName() + "\"");
  }

  private static String rejected(Refusal refusal) {
    return "rejected;reason=\"" + refusal.code().wireName() + "\"";
  }

  private static Future<Void> applied(
      HttpServerResponse response,
      ResourceName resource,
      WriteReport report,
      WriteOutcome.Applied applied) {
    if (applied.replayed()) {
      response.putHeader(REPLAYED, "true");
    }
    JsonObject body =
        new JsonObject()
            .put("resource", resource.value())
            .put("fencingToken", text(report.token()))
            .put("epoch", text(epoch(report)))
            .put("outcome", "applied");
    // The results are JSON text already, to be answered byte for byte as they were recorded.
    String open = body.encode();
    String whole =
        open.substring(0, open.length() - 1) + ",\"results\":" + applied.resultsJson() + "}";
    return respond(response, 200, JSON, whole);
  }

  private static Future<Void> refusedWrite(
      HttpServerResponse response, ResourceName resource, WriteReport report, Refusal refusal) {
    JsonObject problem = problem(refusal, resource);
    if (report.token() != null) {
      problem.put("fencingToken", report.token().toString());
    }
    if (report.epoch() != null) {
      problem.put("epoch", report.epoch().toString());
    }
    return refuse(response, refusal, problem);
  }

  static JsonObject problem(Refusal refusal, @Nullable ResourceName resource) {
    JsonObject problem =
        new JsonObject()
            .put("type", PROBLEM_TYPE + refusal.code().wireName())
            .put("title", refusal.code().title())
            .put("status", status(refusal.code()))
            .put("detail", refusal.detail())
            .put("code", refusal.code().wireName())
            .put("retryable", refusal.retryable())
            .put("outcome", refusal.certainty().wireName());
    putIfPresent(problem, "resource", resource);
    putIfPresent(problem, "epoch", refusal.epoch());
    putIfPresent(problem, "field", refusal.field());
    putIfPresent(problem, "sqlState", refusal.sqlState());
    return problem;
  }

  private static void putIfPresent(JsonObject problem, String name, @Nullable Object value) {
    if (value != null) {
      problem.put(name, value.toString());
    }
  }

  private static Future<Void> respond(
      HttpServerResponse response, int status, String contentType, String body) {
    if (response.ended() || response.closed()) {
      return Future.succeededFuture();
    }
    return response
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, contentType)
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
        .end(body)
        .otherwiseEmpty();
  }
}

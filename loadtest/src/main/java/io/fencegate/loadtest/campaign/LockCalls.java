/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.campaign;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fencegate.loadtest.history.Operation.Answer;
import io.fencegate.loadtest.history.Operation.Kind;
import io.fencegate.loadtest.history.Operation.Result;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * Lock calls over plain HTTP. What was not answered may have been done; only a connection that was
 * refused proves that it was not. Blocking; one per thread.
 */
final class LockCalls {

  private static final Duration PATIENCE = Duration.ofSeconds(4);
  private static final Duration CONNECT = Duration.ofSeconds(1);
  private static final int OK = 200;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT).build();
  private final ObjectMapper mapper = new ObjectMapper();

  /**
   * Makes a call.
   *
   * @param waitMillis how long an acquire may wait in the queue
   */
  Result make(Recorder.Asked asked, URI gateway, int ttlMillis, long waitMillis) {
    try {
      HttpRequest request = request(asked, gateway, ttlMillis, waitMillis);
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      JsonNode body = mapper.readTree(response.body());
      return response.statusCode() == OK ? done(asked.kind(), body) : refused(asked.kind(), body);
    } catch (ConnectException e) {
      return Result.of(Answer.NOT_DONE);
    } catch (IOException e) {
      return Result.of(Answer.UNKNOWN);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Result.of(Answer.UNKNOWN);
    }
  }

  private HttpRequest request(Recorder.Asked asked, URI gateway, int ttlMillis, long waitMillis) {
    HttpRequest.Builder request = HttpRequest.newBuilder().timeout(PATIENCE.plusMillis(waitMillis));
    if (asked.kind() == Kind.SHOW) {
      return request.uri(gateway.resolve("/v1/locks/" + asked.resource())).build();
    }
    ObjectNode body = mapper.createObjectNode().put("resource", asked.resource());
    if (asked.kind() == Kind.ACQUIRE || asked.kind() == Kind.WAIT) {
      body.put("requestId", asked.request()).put("leaseTtlMs", ttlMillis);
      body.put("waitTimeoutMs", waitMillis);
    } else {
      body.put("leaseId", asked.lease());
    }
    return request
        .uri(gateway.resolve("/v1/locks/" + path(asked.kind())))
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
        .build();
  }

  private static String path(Kind kind) {
    return switch (kind) {
      case ACQUIRE, WAIT -> "acquire";
      case RENEW -> "renew";
      case RELEASE -> "release";
      case SHOW, WRITE -> throw new IllegalArgumentException("no lock call: " + kind);
    };
  }

  private static Result done(Kind kind, JsonNode body) {
    long token = body.path("fencingToken").asLong();
    long remaining = body.path("remainingMs").asLong();
    return switch (kind) {
      case ACQUIRE, WAIT ->
          new Result(Answer.GRANTED, token, body.path("leaseId").asText(), remaining);
      case RENEW -> new Result(Answer.RENEWED, token, "", remaining);
      case RELEASE -> Result.of(released(body));
      case SHOW, WRITE ->
          body.path("held").asBoolean()
              ? new Result(Answer.SHOWN_HELD, token, "", 0)
              : Result.of(Answer.FREE);
    };
  }

  private static Answer released(JsonNode body) {
    if (body.path("released").asBoolean()) {
      return Answer.RELEASED;
    }
    return body.path("reason").asText().equals("not-held")
        ? Answer.NOT_HELD
        : Answer.ALREADY_RELEASED;
  }

  private static Result refused(Kind kind, JsonNode body) {
    String code = body.path("code").asText();
    if (!body.path("outcome").asText().equals("rejected")) {
      return Result.of(Answer.UNKNOWN);
    }
    return switch (code) {
      case "lock-held" -> Result.of(Answer.HELD);
      case "lease-lost" -> Result.of(kind == Kind.RENEW ? Answer.LOST : Answer.NOT_DONE);
      case "wait-timeout",
          "coordinator-unavailable",
          "draining",
          "overloaded",
          "too-many-waiters",
          "in-flight" ->
          Result.of(Answer.NOT_DONE);
      default -> throw new CampaignFailure(kind + " was answered " + body);
    };
  }
}

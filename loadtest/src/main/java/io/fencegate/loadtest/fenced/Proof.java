/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import io.fencegate.loadtest.measure.MeasurementFailure;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;

/**
 * Shows that a lane does what its row says: every request comes through, and one with an old token
 * is stopped where somebody looks at tokens, and only there. Blocking.
 */
final class Proof {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final String OLD_TOKEN = "1";
  private static final int OK = 200;
  private static final int STALE = 412;
  private static final int FORBIDDEN = 403;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** {@link MeasurementFailure} where it does not; after it, every resource's token is known. */
  void of(Lane lane) {
    for (Request request : lane.requests()) {
      HttpResponse<String> answer = send(lane, request);
      boolean accepted =
          answer.headers().firstValue("Fencing-Decision").orElse("none").equals("accepted");
      expect(lane, "a request", answer, OK);
      if (accepted != (lane.way().guard() == Way.Guard.FENCING)) {
        throw new MeasurementFailure(
            lane.way().title() + ": fenced or not, other than it should be: " + answer.headers());
      }
    }
    Request first = lane.requests().get(0);
    HeldLock old = new HeldLock(first.lock().resource(), OLD_TOKEN, first.lock().leaseId());
    Request late = new Request(first.method(), first.target(), old, first.body());
    expect(lane, "a request with an old token", send(lane, late), answerToAnOldToken(lane.way()));
  }

  private static int answerToAnOldToken(Way way) {
    return switch (way.guard()) {
      case FENCING -> STALE;
      case CHECK_SERVICE -> FORBIDDEN;
      case NOBODY -> OK;
    };
  }

  private static void expect(Lane lane, String what, HttpResponse<String> answer, int status) {
    if (answer.statusCode() != status) {
      throw new MeasurementFailure(
          "%s: %s was answered %d, expected %d: %s"
              .formatted(lane.way().title(), what, answer.statusCode(), status, answer.body()));
    }
  }

  private HttpResponse<String> send(Lane lane, Request request) {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + lane.port() + request.target()))
            .timeout(PATIENCE)
            .header("Fencing-Token", request.lock().token())
            .header("Fencing-Lease", request.lock().leaseId());
    if (lane.way() == Way.FENCED_KEYED) {
      builder.header("Idempotency-Key", UUID.randomUUID().toString());
    }
    builder.method(
        request.method(),
        request.body().isEmpty()
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(request.body()));
    try {
      return http.send(builder.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new MeasurementFailure(lane.way().title() + ": a request failed: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MeasurementFailure("interrupted", e);
    }
  }
}

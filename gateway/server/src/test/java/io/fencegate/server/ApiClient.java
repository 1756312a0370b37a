/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

/** What a worker with curl would do, in few words. Thread-safe. */
public final class ApiClient {

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final String base;

  public ApiClient(int port) {
    this.base = "http://127.0.0.1:" + port;
  }

  /** The longest wait that a policy allows, and time for its answer. */
  private static final Duration PATIENCE = Duration.ofSeconds(60 + 30);

  /** An answer. */
  public record Answer(int status, Map<String, java.util.List<String>> headers, String body) {
    public JsonObject json() {
      return new JsonObject(body);
    }

    public String code() {
      return json().getString("code");
    }

    public String header(String name) {
      return headers
          .getOrDefault(name.toLowerCase(java.util.Locale.ROOT), java.util.List.of())
          .stream()
          .findFirst()
          .orElse("");
    }

    @Override
    public String toString() {
      return status + " " + body;
    }
  }

  /** A held lock, as its holder knows it. */
  public record Lock(String resource, String leaseId, String token) {}

  public Answer send(String method, String path, String body, Map<String, String> headers) {
    return sendAs("application/json", method, path, body, headers);
  }

  public Answer sendAs(
      String type, String method, String path, String body, Map<String, String> headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(PATIENCE)
            .method(
                method,
                body.isEmpty()
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    if (!body.isEmpty()) {
      request.header("Content-Type", type);
    }
    headers.forEach(request::header);
    try {
      HttpResponse<String> response =
          http.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return new Answer(response.statusCode(), response.headers().map(), response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  public Answer get(String path) {
    return send("GET", path, "", Map.of());
  }

  public Answer post(String path, JsonObject body) {
    return send("POST", path, body.encode(), Map.of());
  }

  public Answer tryAcquire(String resource, long ttlMillis) {
    return post(
        "/v1/locks/acquire",
        new JsonObject()
            .put("resource", resource)
            .put("requestId", UUID.randomUUID().toString())
            .put("leaseTtlMs", ttlMillis));
  }

  public Lock acquire(String resource) {
    Answer answer = tryAcquire(resource, 30_000);
    if (answer.status() != 200) {
      throw new AssertionError("not acquired: " + answer);
    }
    return lock(answer);
  }

  public static Lock lock(Answer answer) {
    JsonObject json = answer.json();
    return new Lock(
        json.getString("resource"), json.getString("leaseId"), json.getString("fencingToken"));
  }

  public Answer release(Lock lock) {
    return post(
        "/v1/locks/release",
        new JsonObject().put("resource", lock.resource()).put("leaseId", lock.leaseId()));
  }

  public Answer write(Lock lock, JsonObject body, Map<String, String> more) {
    Map<String, String> headers = new java.util.HashMap<>(more);
    headers.put("Fencing-Token", lock.token());
    headers.put("Fencing-Lease", lock.leaseId());
    return send("POST", "/v1/write/" + lock.resource(), body.encode(), headers);
  }

  public Answer seal(Lock lock) {
    return send(
        "POST",
        "/v1/seal/" + lock.resource(),
        "",
        Map.of("Fencing-Token", lock.token(), "Fencing-Lease", lock.leaseId()));
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.faults;

import io.fencegate.server.ApiClient;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A worker of one gateway; what it is told about locks goes into the history. Thread-safe. */
final class Worker {

  private final String gateway;
  private final ApiClient api;
  private final History history;

  Worker(String gateway, ApiClient api, History history) {
    this.gateway = gateway;
    this.api = api;
    this.history = history;
  }

  static JsonObject request(String resource, long ttlMillis, long waitMillis) {
    return new JsonObject()
        .put("resource", resource)
        .put("requestId", UUID.randomUUID().toString())
        .put("leaseTtlMs", ttlMillis)
        .put("waitTimeoutMs", waitMillis);
  }

  Answer acquire(JsonObject body) {
    long sentNanos = System.nanoTime();
    Optional<Answer> answer = Optional.empty();
    try {
      answer = Optional.of(api.post("/v1/locks/acquire", body));
      return answer.get();
    } finally {
      history.acquired(new History.Acquired(gateway, body, answer, sentNanos), System.nanoTime());
    }
  }

  Answer tryAcquire(String resource, long ttlMillis) {
    return acquire(request(resource, ttlMillis, 0));
  }

  /** Takes a lock that is free. */
  Lock lock(String resource, long ttlMillis) {
    Answer answer = tryAcquire(resource, ttlMillis);
    if (answer.status() != 200) {
      throw new AssertionError("not acquired: " + answer);
    }
    return ApiClient.lock(answer);
  }

  Answer renew(Lock lock) {
    long sentNanos = System.nanoTime();
    Answer answer =
        api.post(
            "/v1/locks/renew",
            new JsonObject().put("resource", lock.resource()).put("leaseId", lock.leaseId()));
    history.renewed(lock.leaseId(), answer, sentNanos, System.nanoTime());
    return answer;
  }

  Answer release(Lock lock) {
    history.endsBy(lock.leaseId(), System.nanoTime());
    return api.release(lock);
  }

  Answer write(Lock lock, String text) {
    return api.write(
        lock,
        new JsonObject().put("operation", "put").put("params", new JsonObject().put("text", text)),
        Map.of());
  }

  JsonObject show(String resource) {
    return api.get("/v1/locks/" + resource).json();
  }

  boolean isHeld(String resource) {
    Answer answer = api.get("/v1/locks/" + resource);
    if (answer.status() != 200) {
      throw new UncheckedIOException(new java.io.IOException(answer.toString()));
    }
    return answer.json().getBoolean("held");
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fencegate.loadtest.measure.MeasurementFailure;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Locks taken from a gateway and renewed in the background, as workers do. Thread-safe. */
final class HeldLocks implements AutoCloseable {

  /** A third of the lease that the policy gives. */
  private static final Duration RENEW_EVERY = Duration.ofSeconds(10);

  /** Renewals stand behind the generator's requests in a gateway that is as busy as can be. */
  private static final Duration PATIENCE = Duration.ofSeconds(8);

  private static final int OK = 200;

  private final URI gateway;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ObjectMapper mapper = new ObjectMapper();
  private final List<HeldLock> locks = new CopyOnWriteArrayList<>();
  private final AtomicReference<@Nullable MeasurementFailure> failure = new AtomicReference<>();
  private final ScheduledExecutorService renewals =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "renewals");
            thread.setDaemon(true);
            return thread;
          });

  private HeldLocks(URI gateway) {
    this.gateway = gateway;
  }

  /** Of this gateway, none so far. */
  static HeldLocks of(URI gateway) {
    HeldLocks held = new HeldLocks(gateway);
    long everyMillis = RENEW_EVERY.toMillis();
    ScheduledFuture<?> unused =
        held.renewals.scheduleWithFixedDelay(
            held::renewAll, everyMillis, everyMillis, TimeUnit.MILLISECONDS);
    return held;
  }

  /** Takes the lock of a resource that nobody has, and keeps it. */
  HeldLock take(String resource) {
    ObjectNode body = mapper.createObjectNode().put("resource", resource);
    body.put("requestId", UUID.randomUUID().toString());
    JsonNode granted = answer(post("acquire", body));
    HeldLock lock =
        new HeldLock(
            resource, granted.path("fencingToken").asText(), granted.path("leaseId").asText());
    locks.add(lock);
    return lock;
  }

  /** All at once: in a busy gateway each stands behind the generator's requests. */
  private void renewAll() {
    try {
      List<CompletableFuture<JsonNode>> answers =
          locks.stream().map(lock -> post("renew", renewal(lock))).toList();
      answers.forEach(HeldLocks::answer);
    } catch (MeasurementFailure e) {
      failure.compareAndSet(null, e);
    }
  }

  private ObjectNode renewal(HeldLock lock) {
    return mapper
        .createObjectNode()
        .put("resource", lock.resource())
        .put("leaseId", lock.leaseId());
  }

  private CompletableFuture<JsonNode> post(String call, ObjectNode body) {
    HttpRequest request =
        HttpRequest.newBuilder(gateway.resolve("/v1/locks/" + call))
            .timeout(PATIENCE)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
            .build();
    return http.sendAsync(request, HttpResponse.BodyHandlers.ofString())
        .thenApply(answer -> parsed(call + " of " + body.path("resource").asText(), answer));
  }

  private JsonNode parsed(String what, HttpResponse<String> answer) {
    if (answer.statusCode() != OK) {
      throw new MeasurementFailure(what + " was answered " + answer.body());
    }
    try {
      return mapper.readTree(answer.body());
    } catch (IOException e) {
      throw new MeasurementFailure(what + " was not answered JSON", e);
    }
  }

  private static JsonNode answer(CompletableFuture<JsonNode> call) {
    try {
      return call.join();
    } catch (CompletionException e) {
      throw new MeasurementFailure("a lock call failed: " + e.getCause(), e);
    }
  }

  /** {@link MeasurementFailure} where a renewal failed. */
  void check() {
    MeasurementFailure failed = failure.get();
    if (failed != null) {
      throw new MeasurementFailure("a lock was not kept: " + failed.getMessage(), failed);
    }
  }

  @Override
  public void close() {
    renewals.shutdownNow();
  }
}

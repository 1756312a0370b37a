/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.awaitility.Awaitility.await;

import io.fencegate.adapter.tck.FaultProxy;
import io.fencegate.coordination.slot.Whereabouts;
import io.fencegate.server.ApiClient;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.fencegate.server.TestGateways;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two gateways before one HTTP service: callers talk to the first one, and the test says whom each
 * takes for the owner. Between the two is a wire to break.
 */
final class RelayFixture implements AutoCloseable {

  private static final AtomicInteger NEXT = new AtomicInteger();

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        api: { type: http, url: "http://127.0.0.1:@api@", timeout: 4s, connectTimeout: 4s, pool: { size: 8, queue: 64 } }
        log: { type: memory }
      resources:
        - name: ledger
          match: ledger/{tenant}
          adapter: api
          guarantee: serialized
          http: { route: "/ledger/{tenant}/**", methods: [POST, PUT, PATCH, DELETE], reads: allow }
          limits: { maxBody: 64MiB }
        - name: log
          match: log/{tenant}
          adapter: log
          guarantee: strict
          operations:
            append: { sql: "append", params: { text: text } }
      """;

  final HttpDownstream downstream = new HttpDownstream();
  final ToldOwners first = new ToldOwners();
  final ToldOwners second = new ToldOwners();
  final TestGateways gateways;
  final FaultProxy wire;
  final ApiClient api;
  private final Vertx vertx = Vertx.vertx();

  RelayFixture(Path folder) throws IOException {
    gateways =
        TestGateways.start(
            folder,
            POLICIES.replace("@api@", Integer.toString(downstream.port())),
            java.util.List.of(first::of, second::of));
    wire = awaited(FaultProxy.start(vertx, "127.0.0.1", gateways.workerPort(1)));
    api = gateways.client(0);
    await().atMost(Duration.ofSeconds(30)).until(() -> bothServe());
    reset();
  }

  /** The second gateway carries everything out, and both know it. */
  void reset() {
    wire.pass();
    downstream.release();
    downstream.forget();
    first.say(atSecond());
    second.sayHere();
  }

  /** Each slot has an owner that serves it, and both gateways have some. */
  private boolean bothServe() {
    Set<String> owners = new HashSet<>();
    JsonArray slots = gateways.operator(0).get("/admin/v1/cluster").json().getJsonArray("slots");
    for (Object slot : slots) {
      JsonObject it = (JsonObject) slot;
      if (it.getString("owner") == null || !it.getBoolean("serving")) {
        return false;
      }
      owners.add(it.getString("owner"));
    }
    return owners.size() == 2;
  }

  /** A resource that nobody has used yet, whose writes that gateway does carry out. */
  String fresh(int gateway, String policy) {
    while (true) {
      String resource = policy + "/t" + NEXT.incrementAndGet();
      Answer shown = gateways.operator(gateway).get("/admin/v1/resources/" + resource);
      if ("self".equals(shown.json().getString("owner"))) {
        return resource;
      }
    }
  }

  int port() {
    return gateways.workerPort(0);
  }

  Whereabouts atSecond() {
    return new Whereabouts.Elsewhere(second.session(), "127.0.0.1:" + gateways.workerPort(1));
  }

  Whereabouts atSecondByWire() {
    return new Whereabouts.Elsewhere(second.session(), "127.0.0.1:" + wire.port());
  }

  Whereabouts atFirst() {
    return new Whereabouts.Elsewhere(first.session(), "127.0.0.1:" + gateways.workerPort(0));
  }

  /** A session that nobody has, at a port. */
  static Whereabouts at(int port) {
    return new Whereabouts.Elsewhere("another", "127.0.0.1:" + port);
  }

  static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  Answer send(Lock lock, String method, String what, String body) {
    return send(api, lock, method, what, body, Map.of());
  }

  Answer send(
      ApiClient to, Lock lock, String method, String what, String body, Map<String, String> more) {
    Map<String, String> headers = new HashMap<>(more);
    headers.put("Fencing-Token", lock.token());
    headers.put("Fencing-Lease", lock.leaseId());
    return to.send(method, "/" + lock.resource() + "/" + what, body, headers);
  }

  /** How many lines of a gateway's audit trail contain a text. */
  long audited(int gateway, String text) {
    try (var lines = Files.lines(gateways.auditFile(gateway))) {
      return lines.filter(line -> line.contains(text)).count();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  static <T> T awaited(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    downstream.release();
    gateways.close();
    awaited(wire.close());
    awaited(vertx.close());
    downstream.close();
  }
}

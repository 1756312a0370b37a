/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.awaitility.Awaitility.await;

import io.fencegate.adapter.tck.FaultProxy;
import io.fencegate.server.ApiClient;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.fencegate.server.TestGateways;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Gateways on an embedded coordinator, a real HTTP service, and a wire between them to break.
 * Callers talk to the first gateway, and the last one carries everything out.
 */
final class ProxyFixture implements AutoCloseable {

  private static final AtomicInteger NEXT = new AtomicInteger();

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        api: { type: http, url: "http://127.0.0.1:@api@", fencing: serialized, timeout: 4s, connectTimeout: 4s, pool: { size: 4, queue: 8 } }
        wire: { type: http, url: "http://127.0.0.1:@wire@", timeout: 2s }
        asked: { type: http, url: "http://127.0.0.1:@api@", timeout: 1s, probe: { path: "/fencing/writes/{id}" } }
        gone: { type: http, url: "http://127.0.0.1:@gone@", timeout: 2s }
      resources:
        - name: ledger
          match: ledger/{tenant}
          adapter: api
          guarantee: serialized
          http: { route: "/ledger/{tenant}/**", methods: [POST, PUT, PATCH, DELETE], reads: allow }
          limits: { maxBody: 64MiB }
        - name: closed
          match: closed/{tenant}
          adapter: api
          guarantee: serialized
          http: { route: "/closed/{tenant}/**", methods: [POST] }
          limits: { maxBody: 1KiB }
        - name: waiting
          match: waiting/{tenant}
          adapter: api
          guarantee: serialized
          http: { route: "/waiting/{tenant}/**" }
          onUnresolved: { action: wait, settleAfter: 2s }
        - name: keyed
          match: keyed/{tenant}
          adapter: api
          guarantee: serialized
          http: { route: "/keyed/{tenant}/**" }
          idempotency: { required: true, retention: 1h, scope: resource }
          onUnresolved: { action: wait, settleAfter: 500ms }
        - name: unleased
          match: unleased/{tenant}
          adapter: api
          guarantee: serialized
          lease: { required: false }
          http: { route: "/unleased/{tenant}/**" }
        - name: wire
          match: wire/{tenant}
          adapter: wire
          guarantee: serialized
          http: { route: "/wire/{tenant}/**" }
        - name: asked
          match: asked/{tenant}
          adapter: asked
          guarantee: serialized
          http: { route: "/asked/{tenant}/**" }
        - name: gone
          match: gone/{tenant}
          adapter: gone
          guarantee: serialized
          http: { route: "/gone/{tenant}/**" }
      """;

  final Way way;
  final HttpDownstream downstream = new HttpDownstream();
  final FaultProxy wire;
  final TestGateways gateways;
  final ApiClient api;
  private final List<ApiClient> clients;
  private final Vertx vertx = Vertx.vertx();

  ProxyFixture(Path folder, Way way) throws IOException {
    this.way = way;
    wire =
        FaultProxy.start(vertx, "127.0.0.1", downstream.port())
            .toCompletionStage()
            .toCompletableFuture()
            .orTimeout(10, TimeUnit.SECONDS)
            .join();
    gateways =
        TestGateways.start(
            folder.resolve(way.name()),
            way.spoken(POLICIES)
                .replace("@api@", Integer.toString(downstream.port()))
                .replace("@wire@", Integer.toString(wire.port()))
                .replace("@gone@", Integer.toString(closedPort())),
            way.gateways);
    clients = IntStream.range(0, way.gateways).mapToObj(gateways::client).toList();
    api = clients.get(way.entry());
    await().atMost(Duration.ofSeconds(30)).until(this::allServe);
  }

  /** Each slot has an owner that serves it, and each gateway has some. */
  private boolean allServe() {
    if (way.gateways == 1) {
      return true;
    }
    Set<String> owners = new HashSet<>();
    JsonArray slots =
        gateways.operator(way.entry()).get("/admin/v1/cluster").json().getJsonArray("slots");
    for (Object slot : slots) {
      JsonObject it = (JsonObject) slot;
      if (it.getString("owner") == null || !it.getBoolean("serving")) {
        return false;
      }
      owners.add(it.getString("owner"));
    }
    return owners.size() == way.gateways;
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** A resource of the policy that nobody has used yet, and the last gateway carries out. */
  String fresh(String policy) {
    while (true) {
      String resource = policy + "/t" + NEXT.incrementAndGet();
      if (way.gateways == 1 || "self".equals(shown(resource).getString("owner"))) {
        return resource;
      }
    }
  }

  /** What the gateway that carries its writes out shows of a resource. */
  JsonObject shown(String resource) {
    return carrier().get("/admin/v1/resources/" + resource).json();
  }

  /** The operator port of the gateway that carries everything out. */
  ApiClient carrier() {
    return gateways.operator(way.carrier());
  }

  int port() {
    return gateways.workerPort(way.entry());
  }

  Answer send(Lock lock, String method, String what, String body) {
    return send(lock, method, what, body, Map.of());
  }

  Answer send(Lock lock, String method, String what, String body, Map<String, String> more) {
    return send(way.entry(), lock, method, what, body, more);
  }

  /** Through one of several gateways. */
  Answer send(
      int gateway, Lock lock, String method, String what, String body, Map<String, String> more) {
    Map<String, String> headers = new HashMap<>(more);
    headers.put("Fencing-Token", lock.token());
    headers.put("Fencing-Lease", lock.leaseId());
    return clients.get(gateway).send(method, "/" + lock.resource() + "/" + what, body, headers);
  }

  CompletableFuture<Answer> start(Lock lock, String what) {
    return CompletableFuture.supplyAsync(() -> send(lock, "POST", what, "x"));
  }

  /** Lets the present holder go and takes the lock for another one. */
  Lock handOver(Lock lock) {
    api.release(lock);
    return api.acquire(lock.resource());
  }

  /** The lines of a request up to its own further headers. */
  static String head(Lock lock, String method, String what) {
    return method
        + " /"
        + lock.resource()
        + "/"
        + what
        + " HTTP/1.1\r\nHost: gateway\r\nFencing-Token: "
        + lock.token()
        + "\r\nFencing-Lease: "
        + lock.leaseId()
        + "\r\n";
  }

  @Override
  public void close() {
    downstream.release();
    gateways.close();
    wire.close().toCompletionStage().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    vertx.close().toCompletionStage().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    downstream.close();
  }
}

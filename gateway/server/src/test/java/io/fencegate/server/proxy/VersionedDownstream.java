/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A service of documents with versions: each is there from the start, and a PUT replaces it if its
 * {@code If-Match} is the present version. Knows nothing of tokens. Thread-safe.
 */
final class VersionedDownstream implements AutoCloseable {

  private final Vertx vertx = Vertx.vertx();
  private final HttpServer server;
  private final AtomicLong versions = new AtomicLong();
  private final Map<String, String> present = new ConcurrentHashMap<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final List<String> applied = new CopyOnWriteArrayList<>();

  VersionedDownstream() {
    server =
        vertx
            .createHttpServer()
            .requestHandler(this::serve)
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .orTimeout(10, TimeUnit.SECONDS)
            .join();
  }

  int port() {
    return server.actualPort();
  }

  /** {@code METHOD path} of every request. */
  List<String> asked() {
    return asked;
  }

  /** {@code path token body} of every write that was applied, in their order. */
  List<String> applied() {
    return applied;
  }

  private void serve(HttpServerRequest request) {
    asked.add(request.method() + " " + request.path());
    request.body().onSuccess(body -> answer(request, body.toString()));
  }

  private void answer(HttpServerRequest request, String body) {
    String path = request.path();
    HttpServerResponse response = request.response();
    if (path.endsWith("-gone")) {
      response.setStatusCode(404).end();
      return;
    }
    String weak = path.endsWith("-weak") ? "W/" : "";
    String version = present.computeIfAbsent(path, unseen -> next());
    if (request.method().equals(HttpMethod.HEAD)) {
      response.putHeader("ETag", weak + version).end();
    } else if (!version.equals(request.getHeader("If-Match"))) {
      response.setStatusCode(412).end("the service's own words");
    } else {
      applied.add(path + " " + request.getHeader("Fencing-Token") + " " + body);
      String replaced = next();
      present.put(path, replaced);
      response.putHeader("ETag", replaced).end("replaced");
    }
  }

  private String next() {
    return "\"v" + versions.incrementAndGet() + "\"";
  }

  @Override
  public void close() {
    vertx.close().toCompletionStage().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }
}

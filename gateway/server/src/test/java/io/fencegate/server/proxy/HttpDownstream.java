/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * A service that knows nothing of tokens. What it does stands in the last segment of the path; it
 * remembers what came, in the order in which it came. Thread-safe.
 */
final class HttpDownstream implements AutoCloseable {

  /** A request whose body has arrived whole. */
  record Seen(
      HttpVersion version,
      String method,
      String uri,
      Map<String, List<String>> headers,
      String body) {
    String header(String name) {
      return String.join(", ", headers.getOrDefault(name, List.of()));
    }
  }

  private static final int BIG_BYTES = 10 * 1024 * 1024;

  private final Vertx vertx = Vertx.vertx();
  private final HttpServer server;
  private final List<Seen> seen = new CopyOnWriteArrayList<>();
  private final List<String> heads = new CopyOnWriteArrayList<>();
  private final List<String> applied = new CopyOnWriteArrayList<>();
  private final Queue<HttpServerRequest> held = new ConcurrentLinkedQueue<>();

  private final WriteNames names = new WriteNames();

  HttpDownstream() {
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

  /** Whole requests so far. */
  List<Seen> seen() {
    return seen;
  }

  /** {@code METHOD uri} of all requests so far, whole or not. */
  List<String> heads() {
    return heads;
  }

  /** Resource and token of what was carried out, in that order: at once, or after its delay. */
  List<String> applied() {
    return applied;
  }

  private void apply(HttpServerRequest request) {
    String path = request.path();
    if (names.isOpen(request)) {
      applied.add(
          path.substring(1, path.lastIndexOf('/')) + " " + request.getHeader("Fencing-Token"));
    }
  }

  /** What it remembers of the names of writes. */
  WriteNames names() {
    return names;
  }

  void forget() {
    seen.clear();
    heads.clear();
  }

  int held() {
    return held.size();
  }

  /** Answers everything that was held back. */
  void release() {
    for (HttpServerRequest request = held.poll(); request != null; request = held.poll()) {
      HttpServerRequest one = request;
      vertx.runOnContext(turn -> one.response().end("released"));
    }
  }

  private void serve(HttpServerRequest request) {
    if (request.path().startsWith(WriteNames.PATH)) {
      names.answer(request);
      return;
    }
    heads.add(request.method() + " " + request.uri());
    String what = request.path().substring(request.path().lastIndexOf('/') + 1);
    switch (what) {
      case "early" -> {
        request.response().setStatusCode(413).end("too much");
        request.pause();
      }
      case "stall" -> request.pause();
      default -> readWhole(request, what);
    }
  }

  private void readWhole(HttpServerRequest request, String what) {
    MessageDigest digest = sha256();
    request.handler(chunk -> digest.update(chunk.getBytes()));
    request.endHandler(
        whole -> {
          String body = HexFormat.of().formatHex(digest.digest());
          seen.add(
              new Seen(
                  request.version(),
                  request.method().name(),
                  request.uri(),
                  headers(request),
                  body));
          answer(request, what, body);
        });
  }

  private void answer(HttpServerRequest request, String what, String body) {
    if (what.startsWith("status-")) {
      request
          .response()
          .setStatusCode(Integer.parseInt(what.substring("status-".length())))
          .putHeader("Location", "http://127.0.0.1:1/elsewhere")
          .putHeader("Retry-After", "7")
          .end("{\"own\":\"words\"}");
      return;
    }
    if (what.startsWith("late-")) {
      vertx.setTimer(
          Long.parseLong(what.substring("late-".length())),
          due -> {
            apply(request);
            request.response().end("late");
          });
      return;
    }
    apply(request);
    switch (what) {
      case "created" ->
          request
              .response()
              .setStatusCode(201)
              .putHeader("Content-Type", "application/json")
              .putHeader("Location", "/entries/" + seen.size())
              .putHeader("ETag", "\"v" + seen.size() + "\"")
              .putHeader("Set-Cookie", "session=secret")
              .end("{\"entry\":" + seen.size() + "}");
      case "hints" -> {
        request.response().writeEarlyHints(MultiMap.caseInsensitiveMultiMap().add("link", "</x>"));
        request.response().writeContinue();
        request.response().setStatusCode(201).end("after hints");
      }
      case "hold" -> held.add(request);
      case "never" -> {}
      case "cut" -> request.connection().close();
      case "big" -> request.response().end(Buffer.buffer(new byte[BIG_BYTES]));
      case "half" -> {
        request.response().setChunked(true).write("half");
        vertx.setTimer(100, due -> request.connection().close());
      }
      case "refuse-stream" -> request.response().reset(0x7);
      case "reset-stream" -> request.response().reset(0x2);
      default ->
          connectionHeaders(request)
              .putHeader("X-End", "yours")
              .putHeader("Fencing-Decision", "forged")
              .putHeader("Idempotent-Replayed", "true")
              .end(body);
    }
  }

  private static HttpServerResponse connectionHeaders(HttpServerRequest request) {
    return request.version() == HttpVersion.HTTP_2
        ? request.response()
        : request.response().putHeader("Connection", "X-Hop").putHeader("X-Hop", "mine");
  }

  private static Map<String, List<String>> headers(HttpServerRequest request) {
    Map<String, List<String>> all = new java.util.TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    request
        .headers()
        .forEach((name, value) -> all.computeIfAbsent(name, it -> new ArrayList<>()).add(value));
    return all;
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    vertx.close().toCompletionStage().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }
}

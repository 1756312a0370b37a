/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import io.fencegate.loadtest.measure.MeasurementFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import java.net.URI;

/** Locks taken and released through a gateway's HTTP API, over kept-alive connections. */
final class HttpCycles implements Cycles, AutoCloseable {

  private static final int CONNECTIONS = 128;

  private final HttpClient client;
  private final String runId = Long.toHexString(System.nanoTime());
  private long cycles;

  HttpCycles(Vertx vertx, URI worker) {
    this.client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setDefaultHost(worker.getHost())
                .setDefaultPort(worker.getPort())
                .setKeepAlive(true),
            new PoolOptions().setHttp1MaxSize(CONNECTIONS));
  }

  @Override
  public String name() {
    return "Fencegate, through HTTP";
  }

  @Override
  public Future<Void> cycle(long number) {
    String resource = "load/" + number % 100_000;
    return post(
            "/v1/locks/acquire",
            "{\"resource\":\"" + resource + "\",\"requestId\":\"" + runId + "-" + cycles++ + "\"}",
            "leaseId")
        .compose(
            answer ->
                post(
                    "/v1/locks/release",
                    "{\"resource\":\""
                        + resource
                        + "\",\"leaseId\":\""
                        + LoadState.field(answer, "leaseId")
                        + "\"}",
                    "\"released\":true"))
        .mapEmpty();
  }

  private Future<String> post(String path, String body, String expected) {
    return client
        .request(HttpMethod.POST, path)
        .compose(request -> request.putHeader("Content-Type", "application/json").send(body))
        .compose(response -> response.body().map(buffer -> buffer.toString()))
        .compose(
            answer ->
                answer.contains(expected)
                    ? Future.succeededFuture(answer)
                    : Future.failedFuture(new MeasurementFailure("answered: " + answer)));
  }

  @Override
  public void close() {
    client.close();
  }
}

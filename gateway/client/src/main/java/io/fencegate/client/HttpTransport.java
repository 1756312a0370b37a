/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls over {@code java.net.http}. That client repeats a POST by itself only when no connection
 * could be made, follows no redirect as it is set up here, and so never sends a write twice.
 */
final class HttpTransport implements Transport {

  private final HttpClient http;
  private final URI endpoint;
  private final @Nullable Supplier<String> authorization;

  HttpTransport(HttpClient http, URI endpoint, @Nullable Supplier<String> authorization) {
    this.http = http;
    this.endpoint = endpoint;
    this.authorization = authorization;
  }

  @Override
  public CompletableFuture<Reply> send(Call call, Duration patience) {
    HttpRequest request;
    try {
      request = build(call, patience);
    } catch (RuntimeException e) {
      return CompletableFuture.completedFuture(
          new Reply.NotSent("the request could not be built: " + e.getClass().getSimpleName()));
    }
    CompletableFuture<HttpResponse<String>> exchange = http.sendAsync(request, BoundedBody::utf8);
    // The request's own timeout ends with the answer's head; this one covers the body as well.
    return exchange
        .copy()
        .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
        .handle(
            (response, failure) -> {
              if (failure == null) {
                return answer(response);
              }
              exchange.cancel(true);
              return classify(failure, patience);
            });
  }

  private HttpRequest build(Call call, Duration patience) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(endpoint.resolve(call.path()))
            .timeout(patience)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, application/problem+json")
            .POST(HttpRequest.BodyPublishers.ofString(call.body()));
    call.headers().forEach(request::header);
    if (authorization != null) {
      request.header("Authorization", authorization.get());
    }
    return request.build();
  }

  private static Reply answer(HttpResponse<String> response) {
    return new Reply.Answer(
        response.statusCode(),
        response.headers().firstValue("Content-Type").orElse(""),
        response.headers().firstValue("Idempotent-Replayed").orElse("").equals("true"),
        response.body());
  }

  /** Only a connection that was never made proves that nothing was sent. */
  private static Reply classify(Throwable failure, Duration patience) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof ConnectException
        || cause instanceof HttpConnectTimeoutException
        || cause instanceof UnresolvedAddressException) {
      return new Reply.NotSent("the gateway could not be connected to");
    }
    if (cause instanceof TimeoutException || cause instanceof HttpTimeoutException) {
      return new Reply.InDoubt("no complete answer within " + patience.toMillis() + " ms");
    }
    return new Reply.InDoubt(
        "the exchange failed: "
            + (cause == null ? "no reason given" : cause.getClass().getSimpleName()));
  }
}

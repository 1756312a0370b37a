/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.relay;

import io.fencegate.adapter.spi.ProxiedBody;
import io.fencegate.adapter.spi.ProxiedRequest;
import io.fencegate.server.config.Listener;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.streams.WriteStream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One sending of a request to the gateway that is to carry it out, and its answer's way back; the
 * bridge from their streams to one end.
 *
 * <pre>
 *   CONNECTING --head sent--> ASKED --go on--> SENT --head of the answer--> ANSWERING --> over
 *       |                       |                |                             |
 *       +------ not taken ------+                +-- unknown                   +-- cut off
 * </pre>
 *
 * <p>A request with a body goes as {@code Expect: 100-continue}: the other gateway carries nothing
 * out before the first bytes of the body are there, and they are sent when it asks for them. So
 * until then every end proves that nothing was done, and the body is still there for another try. A
 * request without one is sent at once, and only a connection that never came proves anything. From
 * then on there is no second sending, whatever happens. Used from one context.
 */
final class Hop {

  private enum Phase {
    CONNECTING,
    /** The other gateway has the head, and has not asked for the body. */
    ASKED,
    /** The body is on its way, or is there; from here on it may be carried out. */
    SENT,
    ANSWERING
  }

  /** A gateway that lives and is near accepts at once; also the longest wait for the pool. */
  private static final Duration CONNECT = Duration.ofSeconds(1);

  private static final String CONTINUE = "100-continue";

  /**
   * What is sent.
   *
   * @param headers that pass, with the gateway's own
   * @param again whether there would be another try if the other gateway does not take it; if not
   *     its own refusal is passed on
   * @param patience the longest wait for the answer to begin
   */
  record Sending(
      Listener to, ProxiedRequest request, MultiMap headers, boolean again, Duration patience) {}

  private final HttpClientAgent client;
  private final Vertx vertx;
  private final Sending sending;
  private final ProxiedRequest request;
  private final boolean bodiless;
  private final Promise<HopEnd> end = Promise.promise();
  private Phase phase = Phase.CONNECTING;
  private long timer;
  private @Nullable HttpClientRequest to;
  private boolean sentWhole;

  Hop(HttpClientAgent client, Vertx vertx, Sending sending) {
    this.client = client;
    this.vertx = vertx;
    this.sending = sending;
    this.request = sending.request();
    this.bodiless = request.body().lengthBytes().orElse(1) == 0;
  }

  Future<HopEnd> run() {
    timer = vertx.setTimer(Math.max(1, sending.patience().toMillis()), due -> timeUp());
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.valueOf(request.method()))
            .setHost(sending.to().host())
            .setPort(sending.to().port())
            .setURI(request.target())
            .setConnectTimeout(CONNECT.toMillis());
    client.request(options).onComplete(this::connected, this::notConnected);
    return end.future();
  }

  private boolean isOver() {
    return end.future().isComplete();
  }

  private void finish(HopEnd how) {
    vertx.cancelTimer(timer);
    end.tryComplete(how);
  }

  private void notTaken(String reason) {
    finish(new HopEnd.NotTaken(reason));
  }

  private void unknown(String reason) {
    finish(new HopEnd.Unknown(reason));
  }

  // ---- there

  private void notConnected(Throwable cause) {
    notTaken("it could not be reached");
  }

  private void connected(HttpClientRequest connected) {
    // What ends a request ends its response's future too, where it is dealt with.
    connected.exceptionHandler(broke -> {});
    to = connected;
    if (isOver()) {
      hangUp();
      return;
    }
    connected.headers().addAll(sending.headers());
    connected.response().onComplete(this::answered, this::broken);
    if (bodiless) {
      phase = Phase.SENT;
      sentWhole = true;
      connected.putHeader(HttpHeaders.CONTENT_LENGTH, "0").end();
    } else {
      phase = Phase.ASKED;
      frame(connected, request.body());
      connected.putHeader(HttpHeaders.EXPECT, CONTINUE).continueHandler(go -> upload(connected));
      connected.sendHead();
    }
  }

  private static void frame(HttpClientRequest to, ProxiedBody body) {
    if (body.lengthBytes().isPresent()) {
      to.putHeader(HttpHeaders.CONTENT_LENGTH, Long.toString(body.lengthBytes().getAsLong()));
    } else {
      to.setChunked(true);
    }
  }

  private void upload(HttpClientRequest asking) {
    if (isOver() || phase != Phase.ASKED) {
      return;
    }
    phase = Phase.SENT;
    ProxiedBody body = request.body();
    body.exceptionHandler(this::uploadBroke);
    body.endHandler(whole -> uploaded(asking));
    body.handler(chunk -> upload(chunk, asking, body));
    body.begun().onFailure(this::uploadBroke);
    body.resume();
  }

  private void upload(Buffer chunk, HttpClientRequest asking, ProxiedBody body) {
    if (isOver() || phase != Phase.SENT) {
      return;
    }
    asking.write(chunk);
    if (asking.writeQueueFull()) {
      body.pause();
      asking.drainHandler(drained -> body.resume());
    }
  }

  private void uploaded(HttpClientRequest asking) {
    if (!isOver() && phase == Phase.SENT) {
      sentWhole = true;
      asking.end();
    }
  }

  /** The caller's side: the other gateway never gets the whole. */
  private void uploadBroke(Throwable cause) {
    if (!isOver() && phase == Phase.SENT) {
      hangUp();
      unknown("the upload broke off: " + cause.getMessage());
    }
  }

  private void broken(Throwable cause) {
    if (isOver()) {
      return;
    }
    hangUp();
    if (phase == Phase.ASKED) {
      notTaken("the connection to it broke before it had asked for the body");
    } else {
      unknown("the connection broke before the answer");
    }
  }

  // ---- back

  private void answered(HttpClientResponse head) {
    if (isOver()) {
      return;
    }
    vertx.cancelTimer(timer);
    boolean bodyUntouched = bodiless || phase == Phase.ASKED;
    if (sending.again() && bodyUntouched && HopHeaders.decline(head.headers())) {
      hangUp();
      notTaken("it does not carry the resource's writes out");
      return;
    }
    phase = Phase.ANSWERING;
    WriteStream<Buffer> out =
        request
            .caller()
            .answer(head.statusCode(), head.statusMessage(), HopHeaders.back(head.headers()));
    head.handler(chunk -> download(chunk, head, out));
    head.end().onComplete(whole -> answeredWhole(out), cut -> answeredInPart());
    head.resume();
  }

  private void download(Buffer chunk, HttpClientResponse from, WriteStream<Buffer> out) {
    if (isOver()) {
      return;
    }
    out.write(chunk).onFailure(gone -> callerGone());
    if (out.writeQueueFull()) {
      from.pause();
      out.drainHandler(drained -> from.resume());
    }
  }

  /** An answer that came before the whole request leaves a connection that is no use any more. */
  private void answeredWhole(WriteStream<Buffer> out) {
    if (isOver()) {
      return;
    }
    out.end();
    if (!sentWhole) {
      hangUp();
    }
    finish(new HopEnd.Over());
  }

  private void answeredInPart() {
    if (!isOver()) {
      request.caller().cutOff();
      hangUp();
      finish(new HopEnd.Over());
    }
  }

  // ---- ends that come from outside

  /**
   * The caller hung up. What is on its way is followed by the other gateway, which sees the same.
   */
  void callerGone() {
    if (!isOver()) {
      hangUp();
      finish(new HopEnd.Over());
    }
  }

  private void timeUp() {
    if (isOver()) {
      return;
    }
    hangUp();
    if (phase == Phase.SENT) {
      unknown("no answer came in time");
    } else {
      notTaken("it did not take the request in time");
    }
  }

  private void hangUp() {
    HttpClientRequest open = to;
    if (open != null) {
      open.connection().close();
    }
  }
}

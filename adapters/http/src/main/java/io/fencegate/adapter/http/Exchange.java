/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.adapter.spi.ForwardOutcome;
import io.fencegate.adapter.spi.LastLook;
import io.fencegate.adapter.spi.ProxiedBody;
import io.fencegate.adapter.spi.ProxiedRequest;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.ClockReading;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.StreamResetException;
import io.vertx.core.streams.WriteStream;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One request's way to the downstream and its answer's way back; the bridge from their streams to
 * one outcome.
 *
 * <pre>
 *   ASKING --body begun--> CONNECTING --last look: yes--> SENT --head--> ANSWERING --end--> over
 *      |                        |                          |                |
 *      +---- Rejected           +---- Rejected, Withheld   +-- Unknown      +-- Answered, unsettled
 * </pre>
 *
 * <p>Nothing is sent before the last look, and nothing is sent twice. From the first byte on every
 * end but a settling answer to the whole request leaves a doubt, and the connection is destroyed
 * with it. A caller that hangs up ends a read; the answer to a write is read to its end all the
 * same. Used from one context.
 */
final class Exchange {

  /** Timers' ids are not negative. */
  private static final long NO_TIMER = -1;

  private static final int OTHER_VERSION = 412;

  /** Proof that nothing was done, RFC 9113 section 8.7. */
  private static final long REFUSED_STREAM = 0x7;

  private enum Phase {
    ASKING,
    CONNECTING,
    SENT,
    ANSWERING
  }

  private final HttpClientAgent client;
  private final HttpSettings settings;
  private final AdapterContext context;
  private final Vertx vertx;
  private final Errand errand;
  private final ProxiedRequest request;
  private final Promise<ForwardOutcome> outcome = Promise.promise();
  private Phase phase = Phase.ASKING;
  private long timer = NO_TIMER;
  private long endNanos;
  private String lateReason = "no answer came in time";
  private @Nullable HttpClientRequest sending;
  private @Nullable HttpClientResponse answer;
  private boolean uploaded;
  private boolean early;
  private boolean overtaken;
  private boolean callerGone;
  private boolean heldUpByCaller;

  Exchange(HttpClientAgent client, HttpSettings settings, AdapterContext context, Errand errand) {
    this.client = client;
    this.settings = settings;
    this.context = context;
    this.vertx = context.vertx();
    this.errand = errand;
    this.request = errand.request();
  }

  Future<ForwardOutcome> run(LastLook lastLook) {
    ClockReading now = context.clocks().read();
    long longestNanos = now.monotonicNanos() + settings.timeout().toNanos();
    endBy(ClockReading.earlier(longestNanos, errand.deadlineNanos()), now);
    request.caller().onHangUp(gone -> hungUp());
    request.body().begun().onComplete(begun -> connect(lastLook), this::brokeBeforeItsBody);
    return outcome.future();
  }

  private void endBy(long nanos, ClockReading now) {
    vertx.cancelTimer(timer);
    endNanos = nanos;
    timer = vertx.setTimer(Math.max(1, now.millisUntil(nanos)), due -> timeUp());
  }

  private boolean isOver() {
    return outcome.future().isComplete();
  }

  private void end(ForwardOutcome end) {
    vertx.cancelTimer(timer);
    outcome.tryComplete(end);
  }

  private void reject(Refusal refusal) {
    end(new ForwardOutcome.Rejected(refusal));
  }

  // ---- there

  private void brokeBeforeItsBody(Throwable cause) {
    if (!isOver()) {
      reject(RefusalCode.REQUEST_TIMEOUT.because("the caller hung up before its body had begun"));
    }
  }

  private void connect(LastLook lastLook) {
    if (isOver()) {
      return;
    }
    phase = Phase.CONNECTING;
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.valueOf(request.method()))
            .setHost(settings.host())
            .setPort(settings.port())
            .setSsl(settings.encrypted())
            .setURI(request.target())
            .setConnectTimeout(settings.connectTimeout().toMillis());
    client
        .request(options)
        .onComplete(connected -> connected(connected, lastLook), this::notConnected);
  }

  private void notConnected(Throwable cause) {
    reject(Unreachable.because(cause, settings));
  }

  private void connected(HttpClientRequest connected, LastLook lastLook) {
    // What ends a request ends its response's future too, where it is dealt with.
    connected.exceptionHandler(broke -> {});
    if (isOver()) {
      connected.reset();
      return;
    }
    OptionalLong until = lastLook.sendUntilNanos();
    if (until.isEmpty()) {
      connected.reset();
      end(new ForwardOutcome.Withheld());
      return;
    }
    if (until.getAsLong() - endNanos < 0) {
      lateReason = "no answer came within what was left of the writer's lease or time";
      endBy(until.getAsLong(), context.clocks().read());
    }
    send(connected);
  }

  private void send(HttpClientRequest to) {
    phase = Phase.SENT;
    sending = to;
    to.headers().addAll(errand.headers());
    to.response().onComplete(this::answered, this::broken);
    ProxiedBody body = request.body();
    if (body.lengthBytes().orElse(1) == 0) {
      if (errand.write()) {
        to.putHeader(HttpHeaders.CONTENT_LENGTH, "0");
      }
      to.end().onSuccess(sent -> uploaded = true);
      return;
    }
    if (body.lengthBytes().isPresent()) {
      to.putHeader(HttpHeaders.CONTENT_LENGTH, Long.toString(body.lengthBytes().getAsLong()));
    } else {
      to.setChunked(true);
    }
    body.exceptionHandler(this::uploadBroke);
    body.endHandler(whole -> uploadEnded(to));
    body.handler(chunk -> upload(chunk, to, body));
    body.resume();
  }

  private void upload(Buffer chunk, HttpClientRequest to, ProxiedBody body) {
    if (isOver() || early) {
      return;
    }
    to.write(chunk);
    if (to.writeQueueFull()) {
      body.pause();
      to.drainHandler(drained -> body.resume());
    }
  }

  /** What was cut short by an early answer must not look whole. */
  private void uploadEnded(HttpClientRequest to) {
    if (!isOver() && !early) {
      to.end().onSuccess(sent -> uploaded = true);
    }
  }

  /** The caller's side: the downstream never gets the whole. */
  private void uploadBroke(Throwable cause) {
    if (!isOver() && phase == Phase.SENT) {
      destroy();
      end(new ForwardOutcome.Unknown("the upload broke off: " + cause.getMessage()));
    }
  }

  private void broken(Throwable cause) {
    if (isOver()) {
      return;
    }
    if (cause instanceof StreamResetException reset && reset.getCode() == REFUSED_STREAM) {
      reject(
          RefusalCode.DOWNSTREAM_BUSY.because(
              "the service refused the stream before it looked at the request"));
    } else {
      destroy();
      end(new ForwardOutcome.Unknown("the connection broke before the answer"));
    }
  }

  // ---- back

  private void answered(HttpClientResponse head) {
    if (isOver()) {
      return;
    }
    phase = Phase.ANSWERING;
    early = !uploaded;
    if (errand.kind() == Errand.Kind.WRITE_OF_VERSION && head.statusCode() == OTHER_VERSION) {
      overtaken = true;
      head.end().onComplete(end -> answeredThatItIsOvertaken());
      head.resume();
      return;
    }
    answer = head;
    WriteStream<Buffer> out =
        request
            .caller()
            .answer(head.statusCode(), head.statusMessage(), PassingHeaders.back(head.headers()));
    head.handler(chunk -> download(chunk, head, out));
    head.end().onComplete(whole -> answeredWhole(head, out), cut -> answeredInPart());
    head.resume();
  }

  /** The caller did not make this condition: what it is answered is the gateway's to say. */
  private void answeredThatItIsOvertaken() {
    if (!isOver()) {
      if (early) {
        destroy();
      }
      end(new ForwardOutcome.Overtaken());
    }
  }

  private void download(Buffer chunk, HttpClientResponse from, WriteStream<Buffer> out) {
    if (callerGone) {
      return;
    }
    out.write(chunk).onFailure(gone -> hungUp());
    if (out.writeQueueFull()) {
      heldUpByCaller = true;
      from.pause();
      out.drainHandler(drained -> takeUpAgain());
    }
  }

  private void takeUpAgain() {
    heldUpByCaller = false;
    if (answer != null) {
      answer.resume();
    }
  }

  private void answeredWhole(HttpClientResponse head, WriteStream<Buffer> out) {
    if (isOver()) {
      return;
    }
    if (!callerGone) {
      out.end();
    }
    if (early) {
      destroy();
    }
    end(
        new ForwardOutcome.Answered(
            head.statusCode(), !early && Settlement.settles(head.statusCode())));
  }

  private void answeredInPart() {
    if (isOver()) {
      return;
    }
    if (overtaken) {
      destroy();
      end(new ForwardOutcome.Overtaken());
    } else if (answer != null) {
      request.caller().cutOff();
      destroy();
      end(new ForwardOutcome.Answered(answer.statusCode(), false));
    }
  }

  // ---- ends that come from outside

  private void hungUp() {
    if (isOver()) {
      return;
    }
    callerGone = true;
    if (phase == Phase.ANSWERING) {
      takeUpAgain();
    }
    if (!errand.write()) {
      destroy();
      end(new ForwardOutcome.Unknown("the caller hung up"));
    }
  }

  private void timeUp() {
    if (isOver()) {
      return;
    }
    switch (phase) {
      case ASKING -> reject(RefusalCode.REQUEST_TIMEOUT.because("the body did not begin in time"));
      case CONNECTING ->
          reject(
              RefusalCode.UPSTREAM_UNREACHABLE.because(
                  "no connection was free before time was up"));
      case SENT -> {
        destroy();
        end(new ForwardOutcome.Unknown(lateReason));
      }
      case ANSWERING -> {
        if (heldUpByCaller && !callerGone) {
          request.caller().cutOff();
          timer = vertx.setTimer(settings.timeout().toMillis(), due -> timeUp());
          hungUp();
        } else {
          answeredInPart();
        }
      }
    }
  }

  /** The adapter is closed. */
  void abandon() {
    if (isOver()) {
      return;
    }
    switch (phase) {
      case ASKING, CONNECTING ->
          reject(RefusalCode.DRAINING.because("this gateway is shutting down"));
      case SENT -> {
        destroy();
        end(new ForwardOutcome.Unknown("the gateway had to shut down before the answer"));
      }
      case ANSWERING -> answeredInPart();
    }
  }

  private void destroy() {
    HttpClientRequest sent = sending;
    if (sent != null) {
      Destruction.of(sent, vertx);
    }
  }
}

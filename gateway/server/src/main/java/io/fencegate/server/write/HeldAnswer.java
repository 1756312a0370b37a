/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.ProxyCaller;
import io.fencegate.coordination.key.RecordedAnswer;
import io.fencegate.coordination.store.Value;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.WriteStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The downstream's answer to a keyed write: kept for the record, and held back from its caller
 * until it is recorded, so that whoever has seen it whole finds it again under the key. An answer
 * with a larger body than {@link #MAX_BODY_BYTES} is passed on as it comes, all but its last piece,
 * and its body is not kept.
 *
 * <p>A caller that hangs up changes nothing: the answer is read to its end. Used from one context.
 */
final class HeldAnswer implements ProxyCaller {

  /**
   * What a record keeps of a body: the answers of APIs to single writes, and so that a dozen of
   * them still fit one batch of the coordinator.
   */
  static final int MAX_BODY_BYTES = 64 * 1024;

  private final ProxyCaller caller;
  private final Sink sink = new Sink();
  private @Nullable Head head;
  private @Nullable WriteStream<Buffer> out;
  private @Nullable Handler<Void> drained;

  /** The whole body so far, or the last piece of one that is too large. */
  private Buffer held = Buffer.buffer();

  private boolean tooLarge;
  private boolean whole;
  private boolean gone;

  private record Head(int status, String reason, MultiMap headers) {}

  HeldAnswer(ProxyCaller caller) {
    this.caller = caller;
  }

  @Override
  public WriteStream<Buffer> answer(int status, String reason, MultiMap headers) {
    head = new Head(status, reason, headers);
    return sink;
  }

  /** What has come is passed on, so that the caller sees where it breaks off. */
  @Override
  public void cutOff() {
    if (!gone) {
      WriteStream<Buffer> to = passOn();
      if (to != null && held.length() > 0) {
        to.write(held);
      }
    }
    gone = true;
    caller.cutOff();
  }

  /** Whoever waits for the outcome is not told: the answer matters to more than its caller. */
  @Override
  public void onHangUp(Handler<Void> handler) {
    caller.onHangUp(
        left -> {
          gone = true;
          Handler<Void> waiting = drained;
          if (waiting != null) {
            waiting.handle(null);
          }
        });
  }

  /** What is to be recorded; empty where no answer came. */
  Optional<RecordedAnswer> recorded() {
    Head answered = head;
    if (answered == null) {
      return Optional.empty();
    }
    boolean kept = whole && !tooLarge;
    return Optional.of(
        new RecordedAnswer(
            answered.status(),
            KeptHeaders.of(answered.headers(), kept),
            kept ? Optional.of(Value.of(held.getBytes())) : Optional.empty()));
  }

  /** Gives the caller what was held back. */
  void release() {
    if (gone || !whole) {
      return;
    }
    WriteStream<Buffer> to = passOn();
    if (to != null) {
      Future<Void> unused = held.length() > 0 ? to.end(held) : to.end();
    }
  }

  private @Nullable WriteStream<Buffer> passOn() {
    Head answered = head;
    if (out == null && answered != null) {
      out = caller.answer(answered.status(), answered.reason(), answered.headers());
    }
    return out;
  }

  private final class Sink implements WriteStream<Buffer> {

    @Override
    public Future<Void> write(Buffer chunk) {
      if (!tooLarge && held.length() + chunk.length() <= MAX_BODY_BYTES) {
        held.appendBuffer(chunk);
        return Future.succeededFuture();
      }
      tooLarge = true;
      WriteStream<Buffer> to = gone ? null : passOn();
      if (to != null && held.length() > 0) {
        to.write(held);
      }
      held = chunk;
      return Future.succeededFuture();
    }

    @Override
    public Future<Void> end() {
      whole = true;
      return Future.succeededFuture();
    }

    @Override
    public boolean writeQueueFull() {
      return !gone && out != null && out.writeQueueFull();
    }

    @Override
    public Sink drainHandler(@Nullable Handler<Void> handler) {
      drained = handler;
      if (gone && handler != null) {
        handler.handle(null);
      } else if (out != null) {
        out.drainHandler(handler);
      }
      return this;
    }

    @Override
    public Sink exceptionHandler(@Nullable Handler<Throwable> handler) {
      return this;
    }

    @Override
    public Sink setWriteQueueMaxSize(int maxSize) {
      return this;
    }
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Value;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The bytes of {@link KeyOutcome}s. */
final class KeyOutcomes {

  static final byte INTENT = 1;
  static final byte ANSWERED = 2;
  static final byte UNKNOWN = 3;
  static final byte CLOSED = 4;

  private static final int UNSIGNED_BYTE = 0xff;
  private static final int UNSIGNED_SHORT = 0xffff;

  private KeyOutcomes() {}

  static byte state(KeyOutcome outcome) {
    if (outcome instanceof KeyOutcome.Intent) {
      return INTENT;
    }
    if (outcome instanceof KeyOutcome.Answered) {
      return ANSWERED;
    }
    return outcome instanceof KeyOutcome.Unknown ? UNKNOWN : CLOSED;
  }

  /** What follows a record's common part. */
  static byte[] payload(KeyOutcome outcome) {
    if (outcome instanceof KeyOutcome.Answered answered) {
      return payload(answered.answer());
    }
    return outcome instanceof KeyOutcome.Unknown unknown ? utf8(unknown.reason()) : new byte[0];
  }

  static KeyOutcome read(byte state, ByteBuffer in) {
    return switch (state) {
      case INTENT -> new KeyOutcome.Intent();
      case ANSWERED -> new KeyOutcome.Answered(answer(in));
      case UNKNOWN -> new KeyOutcome.Unknown(text(in, in.remaining()));
      case CLOSED -> new KeyOutcome.Closed();
      default -> throw new IllegalArgumentException("no state of a key: " + state);
    };
  }

  /** Status 2, whether the body was kept 1, headers 1, each with two lengths of 2; the body. */
  private static byte[] payload(RecordedAnswer answer) {
    List<byte[]> texts = new ArrayList<>();
    int bytes = Short.BYTES + 2 * Byte.BYTES;
    for (RecordedAnswer.Header header : answer.headers()) {
      for (byte[] text : List.of(utf8(header.name()), utf8(header.value()))) {
        if (text.length > UNSIGNED_SHORT) {
          throw new IllegalArgumentException(header.name() + " has " + text.length + " bytes");
        }
        texts.add(text);
        bytes += Short.BYTES + text.length;
      }
    }
    byte[] body = answer.body().orElse(Value.EMPTY).toBytes();
    ByteBuffer out = ByteBuffer.allocate(bytes + body.length);
    out.putShort((short) answer.status());
    out.put((byte) (answer.body().isPresent() ? 1 : 0)).put((byte) answer.headers().size());
    texts.forEach(text -> out.putShort((short) text.length).put(text));
    return out.put(body).array();
  }

  private static RecordedAnswer answer(ByteBuffer in) {
    int status = in.getShort() & UNSIGNED_SHORT;
    boolean kept = in.get() != 0;
    int count = in.get() & UNSIGNED_BYTE;
    List<RecordedAnswer.Header> headers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      String name = text(in, in.getShort() & UNSIGNED_SHORT);
      headers.add(new RecordedAnswer.Header(name, text(in, in.getShort() & UNSIGNED_SHORT)));
    }
    Optional<Value> body =
        kept ? Optional.of(Value.of(bytes(in, in.remaining()))) : Optional.empty();
    return new RecordedAnswer(status, headers, body);
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(ByteBuffer in, int length) {
    return new String(bytes(in, length), StandardCharsets.UTF_8);
  }

  static byte[] bytes(ByteBuffer in, int length) {
    if (length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Value;
import io.fencegate.policy.token.FencingToken;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What may still land in a downstream that cannot tell: token 8, wall clock 8, kind 1, then the
 * reason.
 *
 * @param token none of it has a lower one
 * @param atMillis wall clock, since 1970, for people
 * @param reason for people
 */
public record UnresolvedRecord(FencingToken token, long atMillis, Kind kind, String reason) {

  /** What is known of it. */
  public enum Kind {
    /** Writes whose end nobody saw. */
    WRITE(1),
    /** Whatever an owner that ended had on its way. */
    OWNER_LOST(2);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    private static Kind of(int code) {
      return Arrays.stream(values())
          .filter(it -> it.code == code)
          .findFirst()
          .orElseThrow(() -> new UnreadableRecord("an unresolved write of kind " + code));
    }
  }

  public Value encode() {
    byte[] text = (reason + "\n").getBytes(StandardCharsets.UTF_8);
    return Value.of(
        ByteBuffer.allocate(2 * Long.BYTES + 1 + text.length)
            .putLong(token.value())
            .putLong(atMillis)
            .put((byte) kind.code)
            .put(text)
            .array());
  }

  public static UnresolvedRecord decode(Value value) {
    ByteBuffer in = value.read();
    if (in.remaining() < 2 * Long.BYTES + 1) {
      throw new UnreadableRecord("an unresolved write");
    }
    FencingToken token = new FencingToken(in.getLong());
    long atMillis = in.getLong();
    Kind kind = Kind.of(in.get());
    byte[] text = new byte[in.remaining()];
    in.get(text);
    return new UnresolvedRecord(
        token, atMillis, kind, new String(text, StandardCharsets.UTF_8).stripTrailing());
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Value;
import io.fencegate.policy.token.FencingToken;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * What may still land in a downstream that cannot tell: token 8, wall clock 8, milliseconds 8, kind
 * 1, then a line with the reason and one with the names, separated by commas.
 *
 * @param token none of it has a lower one
 * @param atMillis wall clock, since 1970, for people
 * @param underWay for how long it may still be sent by who ended; zero for what nobody sends any
 *     more
 * @param reason for people
 * @param names by which the downstream can be asked about all of it; empty where it cannot be
 */
public record UnresolvedRecord(
    FencingToken token,
    long atMillis,
    Duration underWay,
    Kind kind,
    String reason,
    List<String> names) {

  private static final String COMMA = ",";
  private static final int HEAD_BYTES = 3 * Long.BYTES + 1;

  /** One line, whatever a driver had to say. */
  public UnresolvedRecord {
    reason = reason.replace('\n', ' ');
    names = List.copyOf(names);
  }

  /** The same under other names. */
  public UnresolvedRecord named(List<String> others) {
    return new UnresolvedRecord(token, atMillis, underWay, kind, reason, others);
  }

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
    byte[] text =
        (reason + "\n" + String.join(COMMA, names) + "\n").getBytes(StandardCharsets.UTF_8);
    return Value.of(
        ByteBuffer.allocate(HEAD_BYTES + text.length)
            .putLong(token.value())
            .putLong(atMillis)
            .putLong(underWay.toMillis())
            .put((byte) kind.code)
            .put(text)
            .array());
  }

  public static UnresolvedRecord decode(Value value) {
    ByteBuffer in = value.read();
    if (in.remaining() < HEAD_BYTES) {
      throw new UnreadableRecord("an unresolved write");
    }
    FencingToken token = new FencingToken(in.getLong());
    long atMillis = in.getLong();
    Duration underWay = Duration.ofMillis(in.getLong());
    Kind kind = Kind.of(in.get());
    byte[] text = new byte[in.remaining()];
    in.get(text);
    String[] lines = new String(text, StandardCharsets.UTF_8).split("\n", -1);
    List<String> names =
        lines.length > 1 && !lines[1].isBlank() ? List.of(lines[1].split(COMMA, -1)) : List.of();
    return new UnresolvedRecord(token, atMillis, underWay, kind, lines[0], names);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.token.FencingToken;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A token that was accepted: the token 8, so that byte order is token order, then where tokens of
 * this resource come from.
 *
 * @param source {@code lock}
 */
public record EpochRecord(FencingToken raised, String source) {

  /** Tokens come from the lock service. */
  public static final String SOURCE_LOCK = "lock";

  public Value encode() {
    byte[] sourceBytes = source.getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = ByteBuffer.allocate(Long.BYTES + sourceBytes.length);
    return Value.of(out.putLong(raised.value()).put(sourceBytes).array());
  }

  public static EpochRecord decode(Value value) {
    ByteBuffer in = value.read();
    FencingToken raised = new FencingToken(in.getLong());
    byte[] source = new byte[in.remaining()];
    in.get(source);
    return new EpochRecord(raised, new String(source, StandardCharsets.UTF_8));
  }

  /** The token that an epoch entry says. */
  public static FencingToken raisedIn(Entry entry) {
    return decode(entry.value()).raised();
  }

  /** The prefix of every record that says exactly this token. */
  public static Value exactly(FencingToken token) {
    return Value.ofLong(token.value());
  }

  /**
   * A bound above every record of {@code token} and of lower ones, below those of higher ones. The
   * greatest token of all has no such bound, but nothing can have issued it.
   */
  public static Value boundAbove(FencingToken token) {
    return Value.ofLong(Math.addExact(token.value(), 1));
  }
}

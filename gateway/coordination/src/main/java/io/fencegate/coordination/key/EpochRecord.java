/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.token.FencingToken;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * How high a resource's epoch is: the token 8, so that byte order is token order, then what raised
 * it. Sources differ in their first byte, so that a prefix can tell them apart.
 *
 * @param source one of the constants below
 */
public record EpochRecord(FencingToken raised, String source) {

  /** A token of the lock service, which was accepted. */
  public static final String SOURCE_LOCK = "lock";

  /**
   * One above the token that a break shut out; nobody was issued it. It cannot be a later holder's
   * either, since the broken lock stood until after that revision, but nothing rests on that.
   */
  public static final String SOURCE_BREAK = "break";

  /** A token that somebody else issued, which was accepted. */
  public static final String SOURCE_EXTERNAL = "external";

  /** The create revision of a candidate's key that other clients of etcd made. */
  public static final String SOURCE_ELECTION = "etcd-election";

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

  /** The prefix of the record that says that exactly this token was accepted. */
  public static Value exactlyAccepted(FencingToken token) {
    return Value.of(
        ByteBuffer.allocate(Long.BYTES + Byte.BYTES)
            .putLong(token.value())
            .put((byte) SOURCE_LOCK.charAt(0))
            .array());
  }

  /** A token of the lock service that was accepted. */
  public static EpochRecord accepted(FencingToken token) {
    return new EpochRecord(token, SOURCE_LOCK);
  }

  /** A token of somebody else that was accepted. */
  public static EpochRecord external(FencingToken token) {
    return new EpochRecord(token, SOURCE_EXTERNAL);
  }

  /** A candidate's create revision that was accepted. */
  public static EpochRecord election(FencingToken token) {
    return new EpochRecord(token, SOURCE_ELECTION);
  }

  /** What shuts out a holder with the token below this one. */
  public static EpochRecord fence(FencingToken token) {
    return new EpochRecord(token, SOURCE_BREAK);
  }

  /** What stands beside the epoch of a source whose numbers are not those of locks. */
  public Value mark() {
    return Value.of(source.getBytes(StandardCharsets.UTF_8));
  }

  /** Whether its number is one of the lock service's, so that other tokens of locks compare. */
  public boolean isOfLocks() {
    return source.equals(SOURCE_LOCK) || source.equals(SOURCE_BREAK);
  }

  /** Whether the numbers of both have one order. */
  public boolean comparesWith(EpochRecord other) {
    return isOfLocks() ? other.isOfLocks() : source.equals(other.source);
  }

  public boolean isOf(String expected) {
    return source.equals(expected);
  }

  /** Whether its source is one of the constants above. */
  public boolean isKnown() {
    return isOfLocks() || source.equals(SOURCE_EXTERNAL) || source.equals(SOURCE_ELECTION);
  }

  /** Whether its token is one that was issued. */
  public boolean isOfAToken() {
    return source.equals(SOURCE_LOCK);
  }

  /**
   * A bound above every record of {@code token} and of lower ones, below those of higher ones. The
   * greatest token of all has no such bound, but nothing can have issued it.
   */
  public static Value boundAbove(FencingToken token) {
    return Value.ofLong(Math.addExact(token.value(), 1));
  }
}

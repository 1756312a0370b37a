/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Value;
import io.fencegate.policy.token.FencingToken;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A keyed write: layout version 1, attempt 8, state 1 (each a prefix that is compared), TTL class
 * 1, token 8 (0: none), wall time 8, fingerprint 32, the session with a length 1 in front, then
 * what the state brings along.
 *
 * @param attempt whose record it is, whatever its state; {@link Attempt#NONE} of a closed key
 * @param ttlClass index of the class that the record is kept for
 * @param token null of a closed key
 * @param session of the gateway that sends the write
 * @param atMillis wall clock when it came to this outcome, for people
 */
public record IdempotencyRecord(
    Attempt attempt,
    int ttlClass,
    @Nullable FencingToken token,
    long atMillis,
    RequestFingerprint fingerprint,
    String session,
    KeyOutcome outcome) {

  private static final byte LAYOUT_VERSION = 1;
  private static final int FIXED_BYTES = 4 * Byte.BYTES + 3 * Long.BYTES + RequestFingerprint.BYTES;
  private static final int LONGEST_SESSION_BYTES = 255;

  /** The same write with another outcome. */
  public IdempotencyRecord with(KeyOutcome other, long otherAtMillis) {
    return new IdempotencyRecord(
        attempt, ttlClass, token, otherAtMillis, fingerprint, session, other);
  }

  public boolean isIntent() {
    return outcome instanceof KeyOutcome.Intent;
  }

  public Value encode() {
    byte[] sessionBytes = KeyOutcomes.utf8(session);
    byte[] payload = KeyOutcomes.payload(outcome);
    if (sessionBytes.length > LONGEST_SESSION_BYTES) {
      throw new IllegalArgumentException("a session's id has " + sessionBytes.length + " bytes");
    }
    ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES + sessionBytes.length + payload.length);
    out.put(LAYOUT_VERSION).putLong(attempt.number()).put(KeyOutcomes.state(outcome));
    out.put((byte) ttlClass).putLong(token == null ? 0 : token.value()).putLong(atMillis);
    out.put(fingerprint.bytes()).put((byte) sessionBytes.length).put(sessionBytes).put(payload);
    return Value.of(out.array());
  }

  /** Reads a record, or throws {@link UnreadableRecord}. */
  public static IdempotencyRecord decode(Value value) {
    try {
      return decode(value.read());
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw new UnreadableRecord("this Idempotency-Key's record", e);
    }
  }

  private static IdempotencyRecord decode(ByteBuffer in) {
    byte version = in.get();
    if (version != LAYOUT_VERSION) {
      throw new IllegalArgumentException("layout version " + version);
    }
    Attempt attempt = new Attempt(in.getLong());
    byte state = in.get();
    int ttlClass = in.get();
    long token = in.getLong();
    long atMillis = in.getLong();
    byte[] fingerprint = KeyOutcomes.bytes(in, RequestFingerprint.BYTES);
    String session = KeyOutcomes.text(in, Byte.toUnsignedInt(in.get()));
    return new IdempotencyRecord(
        attempt,
        ttlClass,
        token == 0 ? null : new FencingToken(token),
        atMillis,
        RequestFingerprint.ofStored(fingerprint),
        session,
        KeyOutcomes.read(state, in));
  }

  /** The prefix of every record of this attempt. */
  public static Value of(Attempt attempt) {
    return Value.of(
        ByteBuffer.allocate(Byte.BYTES + Long.BYTES)
            .put(LAYOUT_VERSION)
            .putLong(attempt.number())
            .array());
  }

  /** The prefix of this attempt's record while it is an intent. */
  public static Value intentOf(Attempt attempt) {
    return Value.of(
        ByteBuffer.allocate(2 * Byte.BYTES + Long.BYTES)
            .put(LAYOUT_VERSION)
            .putLong(attempt.number())
            .put(KeyOutcomes.INTENT)
            .array());
  }
}

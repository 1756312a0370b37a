/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.Generation;
import io.fencegate.policy.token.LeaseId;
import java.nio.ByteBuffer;

/**
 * What an acquire was granted, for its repeats: attempt 8, leaseId 16, generation 4, TTL class 1,
 * parameter hash 16.
 *
 * @param attempt which call of the same request was granted; {@link Attempt#NONE} for one that
 *     never waits and so never gives its grant back
 * @param ttlClass index of the granted class
 * @param parameters says whether a repeat asks for the same
 */
public record RequestRecord(
    Attempt attempt,
    LeaseId leaseId,
    Generation generation,
    int ttlClass,
    ParameterHash parameters) {

  public Value encode() {
    ByteBuffer out =
        ByteBuffer.allocate(
            Long.BYTES + LeaseId.BYTES + Integer.BYTES + Byte.BYTES + ParameterHash.BYTES);
    out.putLong(attempt.number()).put(leaseId.bytes()).putInt(generation.value());
    out.put((byte) ttlClass).put(parameters.bytes());
    return Value.of(out.array());
  }

  public static RequestRecord decode(Value value) {
    ByteBuffer in = value.read();
    Attempt attempt = new Attempt(in.getLong());
    byte[] leaseId = new byte[LeaseId.BYTES];
    in.get(leaseId);
    Generation generation = new Generation(in.getInt());
    int ttlClass = in.get();
    byte[] hash = new byte[ParameterHash.BYTES];
    in.get(hash);
    return new RequestRecord(
        attempt, LeaseId.of(leaseId), generation, ttlClass, ParameterHash.ofStored(hash));
  }

  /** Whether the call that was granted may still give the lock back. */
  public boolean mayBeGivenBack() {
    return !attempt.isNone();
  }

  /** The token that was granted: the record was put by the granting transaction and never since. */
  public FencingToken token(Entry request) {
    return FencingToken.of(generation, request.modRevision());
  }
}

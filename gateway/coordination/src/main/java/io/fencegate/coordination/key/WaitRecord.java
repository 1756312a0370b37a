/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Value;
import io.fencegate.policy.name.HolderId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A place in a lock's queue: attempt 8 (the prefix that whoever moves or removes it compares), TTL
 * class 1, parameter hash 16, then the holder. The place itself is the entry's create revision,
 * which a later attempt of the same request keeps.
 *
 * @param attempt whose place it is
 * @param ttlClass index of the class that a grant gets
 * @param parameters says whether a repeat asks for the same
 * @param holder who waits, for people
 */
public record WaitRecord(Attempt attempt, int ttlClass, ParameterHash parameters, HolderId holder) {

  public Value encode() {
    byte[] holderBytes = holder.value().getBytes(StandardCharsets.UTF_8);
    ByteBuffer out =
        ByteBuffer.allocate(Long.BYTES + Byte.BYTES + ParameterHash.BYTES + holderBytes.length);
    out.putLong(attempt.number()).put((byte) ttlClass).put(parameters.bytes()).put(holderBytes);
    return Value.of(out.array());
  }

  public static WaitRecord decode(Value value) {
    ByteBuffer in = value.read();
    Attempt attempt = new Attempt(in.getLong());
    int ttlClass = in.get();
    byte[] hash = new byte[ParameterHash.BYTES];
    in.get(hash);
    byte[] holder = new byte[in.remaining()];
    in.get(holder);
    return new WaitRecord(
        attempt,
        ttlClass,
        ParameterHash.ofStored(hash),
        HolderId.parse(new String(holder, StandardCharsets.UTF_8)).orThrow());
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.name.HolderId;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.Generation;
import io.fencegate.policy.token.LeaseProof;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A held lock: proof 32, generation 4 (together the prefix that renew, release and verify compare),
 * TTL in seconds 4, grant time 8, holder and metadata each with a length 4 in front.
 *
 * @param ttlSeconds the granted class
 * @param grantedAtMillis wall clock, for people and for the coarse bound on one hold
 * @param metadataJson the holder's own notes, a JSON object
 */
public record LockRecord(
    LeaseProof proof,
    Generation generation,
    int ttlSeconds,
    long grantedAtMillis,
    HolderId holder,
    String metadataJson) {

  public Value encode() {
    byte[] holderBytes = holder.value().getBytes(StandardCharsets.UTF_8);
    byte[] metadataBytes = metadataJson.getBytes(StandardCharsets.UTF_8);
    ByteBuffer out =
        ByteBuffer.allocate(
            LeaseProof.BYTES
                + 4 * Integer.BYTES
                + Long.BYTES
                + holderBytes.length
                + metadataBytes.length);
    out.put(proof.bytes()).putInt(generation.value()).putInt(ttlSeconds).putLong(grantedAtMillis);
    out.putInt(holderBytes.length).put(holderBytes);
    out.putInt(metadataBytes.length).put(metadataBytes);
    return Value.of(out.array());
  }

  /** Reads a record, or throws {@link UnreadableRecord}. */
  public static LockRecord decode(Value value) {
    try {
      return decode(value.read());
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw new UnreadableRecord("this lock's record", e);
    }
  }

  private static LockRecord decode(ByteBuffer in) {
    byte[] proof = new byte[LeaseProof.BYTES];
    in.get(proof);
    return new LockRecord(
        LeaseProof.ofStored(proof),
        new Generation(in.getInt()),
        in.getInt(),
        in.getLong(),
        HolderId.parse(text(in)).orThrow(),
        text(in));
  }

  /** The prefix of the value that proves the present ownership. */
  public static Value ownership(LeaseProof proof, Generation generation) {
    ByteBuffer out = ByteBuffer.allocate(LeaseProof.BYTES + Integer.BYTES);
    out.put(proof.bytes()).putInt(generation.value());
    return Value.of(out.array());
  }

  /** The token that the lock entry of this record stands for. */
  public FencingToken token(Entry lock) {
    return FencingToken.of(generation, lock.createRevision());
  }

  public boolean isOwnedBy(LeaseProof shown, Generation current) {
    return proof.equals(shown) && generation.equals(current);
  }

  private static String text(ByteBuffer in) {
    int length = in.getInt();
    if (length < 0 || length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}

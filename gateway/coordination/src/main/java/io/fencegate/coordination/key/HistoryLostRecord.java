/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Value;
import io.fencegate.policy.token.Generation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A gateway has noticed that the coordinator lost history: the highest generation that it knows of
 * 8, so that byte order is the order of generations, the revision seen in it 8, then why, for
 * people. Void once the generation is above this one.
 *
 * @param revision 0 or more
 */
public record HistoryLostRecord(Generation generation, long revision, String reason) {

  public Value encode() {
    byte[] reasonBytes = reason.getBytes(StandardCharsets.UTF_8);
    return Value.of(
        ByteBuffer.allocate(2 * Long.BYTES + reasonBytes.length)
            .putLong(generation.value())
            .putLong(revision)
            .put(reasonBytes)
            .array());
  }

  public static HistoryLostRecord decode(Value value) {
    ByteBuffer in = value.read();
    Generation generation = new Generation(Math.toIntExact(in.getLong()));
    long revision = in.getLong();
    byte[] reason = new byte[in.remaining()];
    in.get(reason);
    return new HistoryLostRecord(generation, revision, new String(reason, StandardCharsets.UTF_8));
  }

  /** A bound above every record of lower generations, below those of this one and higher ones. */
  public static Value boundBelow(Generation generation) {
    return Value.ofLong(generation.value());
  }
}

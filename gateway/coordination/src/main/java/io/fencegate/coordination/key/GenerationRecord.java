/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Value;
import io.fencegate.policy.token.Generation;
import java.nio.ByteBuffer;

/** The coordinator's generation: the number 8, then the layout version 1. */
public record GenerationRecord(Generation generation) {

  private static final byte LAYOUT_VERSION = 1;

  public Value encode() {
    return Value.of(
        ByteBuffer.allocate(Long.BYTES + 1)
            .putLong(generation.value())
            .put(LAYOUT_VERSION)
            .array());
  }

  /**
   * Reads a record.
   *
   * @throws IllegalArgumentException when the layout is of another version
   */
  public static GenerationRecord decode(Value value) {
    ByteBuffer in = value.read();
    long generation = in.getLong();
    byte version = in.get();
    if (version != LAYOUT_VERSION) {
      throw new IllegalArgumentException(
          "the coordinator's layout is version "
              + version
              + ", this gateway reads "
              + LAYOUT_VERSION);
    }
    return new GenerationRecord(new Generation(Math.toIntExact(generation)));
  }

  /** The prefix of every record of exactly this generation. */
  public static Value exactly(Generation generation) {
    return Value.ofLong(generation.value());
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Value;
import java.nio.charset.StandardCharsets;

/**
 * Who carries out the writes of a slot's resources, as text: {@code <session> owns} or {@code
 * <session> drained}.
 *
 * @param session the owner's, or the last owner's
 * @param drained whether that one has handed it over: nothing of its writes is on its way
 */
public record SlotRecord(String session, boolean drained) {

  private static final String OWNS = " owns";
  private static final String DRAINED = " drained";

  public Value encode() {
    return Value.of(session + (drained ? DRAINED : OWNS) + "\n");
  }

  public static SlotRecord decode(Value value) {
    String text = new String(value.toBytes(), StandardCharsets.UTF_8).strip();
    int space = text.indexOf(' ');
    if (space < 1) {
      throw new UnreadableRecord("the owner of a slot");
    }
    return new SlotRecord(text.substring(0, space), text.substring(space).equals(DRAINED));
  }

  /** The prefix of the record by which this session owns the slot, and of no other. */
  public static Value ownedBy(String session) {
    return Value.of(session + OWNS);
  }

  public boolean isOwnedBy(String other) {
    return !drained && session.equals(other);
  }
}

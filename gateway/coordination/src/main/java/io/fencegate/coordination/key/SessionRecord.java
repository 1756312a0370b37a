/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Value;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A gateway that is alive: its counter 8, then who it is.
 *
 * @param counter everything that this gateway commits compares it; raising it makes sure that
 *     nothing sent before can still be committed
 * @param address {@code host:port} of its worker port, for people and for other gateways
 * @param leaving whether it is about to end, so that nothing is placed on it any more
 */
public record SessionRecord(long counter, String address, boolean leaving) {

  private static final String LEAVING = "leaving ";

  public Value encode() {
    String text = (leaving ? LEAVING : "") + address + "\n";
    byte[] addressBytes = text.getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = ByteBuffer.allocate(Long.BYTES + addressBytes.length);
    return Value.of(out.putLong(counter).put(addressBytes).array());
  }

  public static SessionRecord decode(Value value) {
    ByteBuffer in = value.read();
    long counter = in.getLong();
    byte[] address = new byte[in.remaining()];
    in.get(address);
    String text = new String(address, StandardCharsets.UTF_8).strip();
    boolean leaving = text.startsWith(LEAVING);
    return new SessionRecord(counter, leaving ? text.substring(LEAVING.length()) : text, leaving);
  }

  /** The prefix of every record with exactly this counter. */
  public static Value exactly(long counter) {
    return Value.ofLong(counter);
  }

  /** A bound above every record with a lower counter and below all others. */
  public static Value boundBelow(long counter) {
    return Value.ofLong(counter);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.fence;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import java.util.OptionalLong;

/**
 * Writes of one token that may still land although nobody waits for them any more.
 *
 * @param id names them among those of all gateways
 * @param writes how many
 * @param settledAtNanos monotonic; from when on they count as settled, never by themselves where
 *     empty
 */
public record Unresolved(
    String id, ResourceName resource, FencingToken token, int writes, OptionalLong settledAtNanos) {

  boolean isSettled(ClockReading now) {
    return settledAtNanos.isPresent() && !now.isBefore(settledAtNanos.getAsLong());
  }

  /** One write more, whose doubt lasts as long as it says itself, under a new id. */
  Unresolved and(String newId, OptionalLong anotherSettledAtNanos) {
    OptionalLong last =
        settledAtNanos.isEmpty() || anotherSettledAtNanos.isEmpty()
            ? OptionalLong.empty()
            : settledAtNanos.getAsLong() - anotherSettledAtNanos.getAsLong() > 0
                ? settledAtNanos
                : anotherSettledAtNanos;
    return new Unresolved(newId, resource, token, writes + 1, last);
  }
}

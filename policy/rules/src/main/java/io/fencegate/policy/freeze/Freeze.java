/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.freeze;

import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;

/**
 * An operator's stop of writes, in force until it is lifted.
 *
 * @param id by which it is lifted; never used twice
 * @param reason the operator's, for whoever is refused
 * @param atMillis wall clock, since 1970, for people
 */
public record Freeze(String id, FreezeScope scope, String reason, long atMillis) {

  /** What the id of a freeze begins with that one gateway keeps to itself. */
  public static final String LOCAL = "local-";

  /** Whether it stops writes on one gateway only. */
  public boolean isLocal() {
    return id.startsWith(LOCAL);
  }

  /** What a write that it stops is answered. */
  public Refusal refusal() {
    return RefusalCode.FROZEN.because(
        reason + " (an operator has frozen " + scope.shown() + ", freeze " + id + ")");
  }
}

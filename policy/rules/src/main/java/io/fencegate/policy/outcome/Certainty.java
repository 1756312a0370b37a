/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.outcome;

/** What a refusal says of the write's effect. */
public enum Certainty {
  /** Proof that the request was not and will not be carried out. */
  REJECTED("rejected"),
  /** It may or may not have been carried out. */
  UNKNOWN("unknown");

  private final String wireName;

  Certainty(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

/** Where the tokens of writes come from, and what follows from their judgement. */
public record FencingPolicy(Enforcement enforcement, TokenSource source) {

  public static final FencingPolicy DEFAULT =
      new FencingPolicy(Enforcement.ENFORCE, new TokenSource.Locks());

  /** Whether writes are sent on whatever their token says. */
  public boolean isShadow() {
    return enforcement == Enforcement.SHADOW;
  }

  /** Whether tokens are those of Fencegate's own locks. */
  public boolean isOfLocks() {
    return source instanceof TokenSource.Locks;
  }
}

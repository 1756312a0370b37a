/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import java.util.Locale;

/** What becomes of a write whose token does not allow it. */
public enum Enforcement {
  /** It is refused. */
  ENFORCE,
  /** It is counted, audited and sent on: for finding out what enforcing would refuse. */
  SHADOW;

  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}

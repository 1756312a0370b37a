/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import java.util.Locale;

/** What a release found. Nothing is touched unless the lease owned the lock. */
public enum Release {
  RELEASED,
  /** Nobody holds the lock (any more). */
  ALREADY_RELEASED,
  /** Another lease holds it. */
  NOT_HELD;

  public String wireName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import java.util.Locale;

/** What a cancel found. */
public enum Cancellation {
  /** The request waited, and does not any more. */
  CANCELLED,
  /** The request has been granted the lock; it is to be released. */
  GRANTED,
  /** The request waits nowhere. */
  NOT_WAITING;

  public String wireName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

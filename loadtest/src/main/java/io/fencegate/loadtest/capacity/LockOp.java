/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import java.util.Locale;

/** The calls that are measured. */
enum LockOp {
  ACQUIRE,
  RENEW,
  RELEASE;

  String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
